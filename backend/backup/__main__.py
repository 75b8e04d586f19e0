"""What `phylon backup FILE` and `phylon restore FILE` become: `python -m phylon.backend.backup write|restore FILE`."""

import argparse
import sys
from pathlib import Path

from phylon.backend.backup import restoring, writing
from phylon.backend.backup.archive import Manifest
from phylon.backend.kit.errors import Conflict, PlatformError
from phylon.backend.settings import SettingInvalid, Settings, from_environment, home


class ArtifactsInBucket(Conflict):
    """A backup holds the files of a directory, not those of a bucket."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.backend.backup", description=__doc__)
    parser.add_argument("action", choices=("write", "restore"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--without-artifacts", action="store_true", help="leave out checkpoints and videos")
    parser.add_argument("--replace", action="store_true", help="restore over a database that is in use")
    options = parser.parse_args(arguments)
    try:
        settings = from_environment()
        if options.action == "write":
            _write(options.file, settings, without_artifacts=options.without_artifacts)
        else:
            _restore(options.file, settings, without_artifacts=options.without_artifacts, replace=options.replace)
    except SettingInvalid as error:
        print(error, file=sys.stderr)
        return 2
    except PlatformError as error:
        print(f"{error.detail} {error.remedy}", file=sys.stderr)
        return 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _write(file: Path, settings: Settings, *, without_artifacts: bool) -> None:
    artifacts = None if without_artifacts else _folder(settings)
    manifest = writing.write(file, writing.Source(settings.database_url, artifacts, home()))
    print(f"{file}: {_contents(manifest)}; {file.stat().st_size:,} bytes, schema {manifest.revision}.")
    _warn(manifest)
    if manifest.settings:
        print("It holds secrets of this service; keep it as you keep those.")


def _restore(file: Path, settings: Settings, *, without_artifacts: bool, replace: bool) -> None:
    artifacts = None if without_artifacts else _folder(settings)
    done = restoring.restore(file, restoring.Target(settings.database_url, artifacts, home()), replace=replace)
    for table in done.manifest.tables:
        print(f"{table.rows:>12,} {table.name}")
    print(f"{done.artifacts:>12,} files of artifacts")
    written = f"{done.manifest.created_at:%Y-%m-%d %H:%M} UTC by Phylon {done.manifest.phylon}"
    print(f"Restored {file}, written {written}.")
    if done.revision != done.manifest.revision:
        print(f"Its schema {done.manifest.revision} was brought to {done.revision}.")
    if done.settings:
        print(f"Written to {home()}: {', '.join(done.settings)}.")
    if done.settings_kept:
        print(f"Left as they are in {home()}: {', '.join(done.settings_kept)}; the backup has others (--replace).")
    if done.replaced:
        print(f"What was in the database before is in {done.replaced}.")
    _warn(done.manifest)


def _folder(settings: Settings) -> Path:
    if isinstance(settings.artifacts, str):
        raise ArtifactsInBucket(
            f"The artifacts lie in {settings.artifacts}, which a backup does not copy.",
            "Use --without-artifacts, and let the bucket keep versions or a copy of its own.",
        )
    return settings.artifacts


def _contents(manifest: Manifest) -> str:
    rows = sum(table.rows for table in manifest.tables)
    files = "no artifacts" if manifest.artifacts is None else f"{len(manifest.artifacts):,} artifacts"
    return f"{rows:,} rows of {len(manifest.tables)} tables, {files}"


def _warn(manifest: Manifest) -> None:
    for paths, what in ((manifest.missing, "not there"), (manifest.damaged, "there with other bytes than recorded")):
        if paths:
            more = f" and {len(paths) - 5:,} more" if len(paths) > 5 else ""
            print(f"Artifacts that were {what}: {', '.join(paths[:5])}{more}.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
