"""Which checkpoints stay: never fewer than a run needs to go on, and those that its spec asks for."""

import hashlib

import pytest

from phylon.backend.models import Project

DATABASES = ("postgres",)
"""SQLite is what the integration tests run on."""


def sha(content):
    return hashlib.sha256(content).hexdigest()


def content_of(number):
    return b"checkpoint %d" % number


def checkpoint(seq, number):
    content = content_of(number)
    return {
        "kind": "checkpoint",
        "seq": seq,
        "step": 100 * number,
        "wall": 1.0,
        "number": number,
        "file": f"{number:06}.npz",
        "bytes": len(content),
        "sha256": sha(content),
    }


def evaluation(seq, step, best):
    frames = {"evaluation/return": [best, "NaN", -100.0, -100.0]}
    return {"kind": "metrics", "seq": seq, "step": step, "wall": 1.0, "frames": frames}


def birth(id, slot, parent):
    return {
        "id": id,
        "slot": slot,
        "parent": parent,
        "operator": "founder" if parent is None else "copy",
        "changes": {},
        "hyperparams_before": None,
        "hyperparams": {},
        "fitness": None,
        "parent_fitness": None,
        "rank": None,
        "weights": "w",
        "reasons": {},
    }


def lineage(seq, step, *spans):
    return {"kind": "lineage", "seq": seq, "step": step, "wall": 1.0, "spans": list(spans)}


def finished(seq, step, best_member):
    outcome = {"reason": "budget", "best_member": best_member, "fitness": 1.0, "final": None}
    return {"kind": "finished", "seq": seq, "step": step, "wall": 1.0, **outcome}


class Trainer:
    """Uploads and reports in the order that a test wants."""

    def __init__(self, client, worker, run_id):
        self.client, self.worker, self.run_id = client, worker, run_id
        self.attempt = worker.take(run_id)
        self.seq = 0

    def upload(self, *numbers):
        for number in numbers:
            content = content_of(number)
            answer = self.worker.upload(
                self.run_id, self.attempt, f"{number:06}.npz", content, sha(content), step=100 * number
            )
            assert answer.status_code == 200, answer.text

    def report(self, make, *arguments):
        answer = self.worker.report(self.run_id, self.attempt, [make(self.seq, *arguments)])
        assert answer.status_code == 200, answer.text
        self.seq += 1

    def checkpoint(self, number, best=None):
        self.upload(number)
        if best is not None:
            self.report(evaluation, 100 * number, best)
        self.report(checkpoint, number)

    def stored(self):
        items = self.client.get(f"/api/v1/runs/{self.run_id}/artifacts").json()["items"]
        return [int(item["name"].removesuffix(".npz")) for item in items]


@pytest.fixture
def start(client, worker, submit):
    def start(**keep):
        run = submit(version=2, checkpoint={"interval": 400, "keep": keep})["runs"][0]
        return Trainer(client, worker, run["id"])

    return start


def test_an_upload_pushes_nothing_out(start):
    """The trainer may be killed before it reports what it uploaded: then the run goes on from what was reported."""
    trainer = start()
    trainer.checkpoint(1)
    trainer.upload(2, 3, 4)
    assert trainer.stored() == [1, 2, 3, 4]
    trainer.worker.release(trainer.run_id, trainer.attempt)
    reference = trainer.worker.claim(trainer.run_id).json()["payload"]["checkpoints"][0]
    assert reference["sha256"] == sha(content_of(1))


def test_the_newest_two_stay(start, settings):
    trainer = start(best=False)
    for number in range(1, 6):
        trainer.checkpoint(number)
    assert trainer.stored() == [4, 5]
    assert len([path for path in settings.artifacts.rglob("*") if path.is_file()]) == 2


def test_unreported_ones_stay_while_they_are_newer(start):
    trainer = start(last=1, best=False)
    trainer.upload(1, 2, 3)
    trainer.report(checkpoint, 2)
    assert trainer.stored() == [2, 3], "1 can never be reported any more"


def test_the_best_stays(start):
    trainer = start(last=1)
    for number, best in ((1, -5.0), (2, 10.0), (3, 2.0), (4, 9.0)):
        trainer.checkpoint(number, best)
    assert trainer.stored() == [2, 4]
    trainer.checkpoint(5, 11.0)
    assert trainer.stored() == [5]


def test_evaluations_that_are_no_numbers_are_never_the_best(start):
    trainer = start(last=1)
    trainer.checkpoint(1)
    trainer.checkpoint(2, -3.0)
    trainer.checkpoint(3, "NaN")
    assert trainer.stored() == [2, 3]


def test_branch_points_of_the_living_then_of_the_winner(start):
    trainer = start(last=1, best=False, branches=True)
    trainer.report(lineage, 0, *(birth(slot, slot, None) for slot in range(4)))
    trainer.checkpoint(1)
    trainer.report(lineage, 150, birth(4, 0, 1))  # after checkpoint 1: slot 0 goes on with the weights of slot 1
    trainer.checkpoint(2)
    trainer.checkpoint(3)
    assert trainer.stored() == [1, 3]
    trainer.report(lineage, 300, birth(5, 2, 3))  # at checkpoint 3
    trainer.checkpoint(4)
    trainer.checkpoint(5)
    assert trainer.stored() == [1, 3, 5], "both members live, and either may win"
    trainer.report(lineage, 500, birth(6, 0, 3))  # whoever branched off at 1 is dead now
    trainer.checkpoint(6)
    assert trainer.stored() == [3, 5, 6]
    trainer.checkpoint(7)
    trainer.report(finished, 700, 2)
    assert trainer.stored() == [3, 7], "only the winner's remain"


def test_a_project_may_keep_fewer(start, context):
    with context.database.write() as session:
        session.get(Project, 1).checkpoints_kept = 1
    trainer = start(last=5, best=False)
    for number in range(1, 4):
        trainer.checkpoint(number)
    assert trainer.stored() == [3]


def test_a_missing_file_does_not_hide_an_older_one(start):
    """Reported, but its bytes never came: the one before it must stay, whatever the rule."""
    trainer = start(last=1, best=False)
    trainer.checkpoint(1)
    trainer.report(checkpoint, 2)
    assert trainer.stored() == [1]
    trainer.worker.release(trainer.run_id, trainer.attempt)
    assert trainer.worker.claim(trainer.run_id).json()["payload"]["checkpoints"][0]["sha256"] == sha(content_of(1))
