"""Event files that TensorBoard's own writer wrote, and ours, read by our reader."""

from pathlib import Path

import numpy as np
import pytest
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from phylon.export.tensorboard import write_event_files
from phylon.imports import formats, tensorboard
from phylon.imports.event_reader import Restart, Scalar, read_events
from phylon.imports.results import ImportRefused
from phylon.series import Series

RETURN = "evaluation/return"


def value(tag: str, number: float) -> Summary.Value:
    return Summary.Value(tag=tag, simple_value=number)


def write(folder: Path, *events: Event) -> bytes:
    """By TensorBoard's writer, which begins the file with a record of its own."""
    writer = EventFileWriter(str(folder))
    for event in events:
        writer.add_event(event)
    writer.close()
    [file] = folder.glob("*tfevents*")
    return file.read_bytes()


def at(step: int, wall: float, *values: Summary.Value) -> Event:
    return Event(step=step, wall_time=wall, summary=Summary(value=values))


def test_scalars_of_both_forms_are_read_and_everything_else_is_passed_over(tmp_path: Path):
    single = TensorProto(dtype=1, float_val=[2.5])  # pyright: ignore[reportArgumentType]
    packed = TensorProto(dtype=2, tensor_content=np.float64(0.1).tobytes())  # pyright: ignore[reportArgumentType]
    text = TensorProto(dtype=7, string_val=[b"hello"])  # pyright: ignore[reportArgumentType]
    image = Summary.Value(tag="film", image=Summary.Image(height=1, width=1, encoded_image_string=b"x"))
    content = write(
        tmp_path,
        at(2**33, 10.0, value("a", -1.5), Summary.Value(tag="b", tensor=single), image),
        at(3, 11.0, Summary.Value(tag="c", tensor=packed), Summary.Value(tag="note", tensor=text)),
        Event(step=2, wall_time=12.0, session_log=SessionLog(status=SessionLog.START)),
    )
    assert list(read_events(content, "f")) == [
        Scalar("a", 2**33, 10.0, -1.5),
        Scalar("b", 2**33, 10.0, 2.5),
        Scalar("c", 3, 11.0, 0.1),
        Restart(2),
    ]


def test_what_is_half_written_is_not_there_yet_and_what_is_damaged_is_refused(tmp_path: Path):
    content = write(tmp_path, at(1, 1.0, value("a", 1.0)), at(2, 2.0, value("a", 2.0)))
    assert [event.step for event in read_events(content[:-5], "f")] == [1]
    for place in (3, len(content) // 2, len(content) - 6):
        broken = bytearray(content)
        broken[place] ^= 1
        with pytest.raises(ImportRefused, match="f is damaged or no event file"):
            list(read_events(bytes(broken), "f"))
    with pytest.raises(ImportRefused, match="damaged or no event file"):
        list(read_events(b"this is no event file at all", "f"))


def test_a_folder_is_a_run_and_a_restart_forgets_what_came_after_it(tmp_path: Path):
    names = ("seed-a", "seed-b")
    restart = Event(step=20, wall_time=103.0, session_log=SessionLog(status=SessionLog.START))
    first = write(
        tmp_path / "a",
        at(10, 100.0, value("eval/mean_reward", 1.0)),
        at(20, 101.0, value("eval/mean_reward", 2.0)),
        at(30, 102.0, value("eval/mean_reward", 3.0)),
        restart,
        at(20, 104.0, value("eval/mean_reward", 4.0)),
    )
    second = write(tmp_path / "b", at(10, 50.0, value("eval/mean_reward", 5.0)))
    files = {f"{name}/events.out.tfevents.1": content for name, content in zip(names, (first, second), strict=True)}
    found = tensorboard.read(files, None)
    series = found.runs[0].series[RETURN]
    assert (series.steps.tolist(), series.wall.tolist()) == ([10, 20], [0.0, 4.0])
    assert series.values.tolist() == [[1.0], [4.0]]
    assert (len(found.runs), found.return_name) == (2, "eval/mean_reward")


def test_what_we_write_is_read_back_as_one_population(tmp_path: Path):
    returns = Series(np.array([10, 20]), np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, np.nan]]))
    speed = Series(np.array([10]), np.array([1.0]), np.array([[7.0]]))
    write_event_files(tmp_path, [(RETURN, returns), ("speed/env_steps_per_second", speed)], 2, 1e9)
    files = {str(file.relative_to(tmp_path)): file.read_bytes() for file in tmp_path.glob("*/*")}
    [run] = formats.read(formats.recognise(list(files)), files, None).runs
    np.testing.assert_array_equal(run.series[RETURN].values, returns.values)
    assert run.series[RETURN].wall.tolist() == [0.0, 1.0], "from the first record on"
    assert run.series["speed/env_steps_per_second"].values.tolist() == [[7.0]]
