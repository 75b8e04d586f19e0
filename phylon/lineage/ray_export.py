"""A lineage as Ray Tune's mutation logs.

Members are trials whose tag is their number, and an iteration is an environment step. Ray has no word for resets and
for weights that come from no member: these births are left out.
"""

import io
import zipfile

from phylon.contract.lineage import LineageSpan, RunLineage, Tuned
from phylon.lineage.ancestry import by_id, in_order_of_birth, living, path_to
from phylon.lineage.ray_log import GLOBAL_FILE, Config, Exploit, policy_file, written
from phylon.lineage.schedule import spelled

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can hold: equal lineages make equal archives."""


def ray_files(lineage: RunLineage) -> dict[str, str]:
    """By name. As with Ray, a member that descends from nobody has no file of its own."""
    spans = by_id(lineage)
    tuned = {each.name: each for each in lineage.tuned}
    exploits = {
        span.id: _exploit(span, spans[span.parent], tuned)
        for span in in_order_of_birth(lineage)
        if span.parent in spans and spans[span.parent].slot != span.slot
    }
    files = {GLOBAL_FILE: written(exploits.values())}
    for member in living(lineage):
        path = [exploits[span.id] for span in path_to(spans, member.id) if span.id in exploits]
        if path:
            files[policy_file(member.slot)] = written(path)
    return files


def ray_zip(lineage: RunLineage) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in ray_files(lineage).items():
            file.writestr(zipfile.ZipInfo(name, _EPOCH), text, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def _exploit(child: LineageSpan, parent: LineageSpan, tuned: dict[str, Tuned]) -> Exploit:
    return Exploit(
        target=str(child.slot),
        clone=str(parent.slot),
        target_iteration=child.start_step,
        clone_iteration=child.start_step,
        old=_config(child.hyperparams_before or parent.hyperparams, tuned),
        new=_config(child.hyperparams, tuned),
    )


def _config(values: dict[str, float], tuned: dict[str, Tuned]) -> Config:
    return {name: spelled(value, tuned.get(name)) for name, value in values.items()}
