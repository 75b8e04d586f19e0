"""A backup brings everything back, on either database, and is refused whole when any of it is damaged."""

import contextlib
import hashlib
import io
import itertools
import json
import os
import tarfile
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from phylon.backend import schema
from phylon.backend.app import create_app
from phylon.backend.backup.__main__ import main
from phylon.backend.backup.archive import BackupUnusable, open_checked
from phylon.backend.backup.restoring import DatabaseInUse, RowRefused, Target, restore
from phylon.backend.backup.writing import BackupExists, NothingToBackUp, Source, write
from phylon.backend.kit.columns import RealNumber
from phylon.backend.kit.database import Database, make_engine
from phylon.backend.migrate import migrate
from phylon.backend.models import Base, Group, Membership, User, Worker

from . import old_release
from .conftest import SPEC, WorkerClient, connect, make_database, wait_for

NUMBERS = (2, 3, 4)
"""Of the rows that fill a table; 1 is taken by what migrations store."""


@pytest.fixture(params=["into-sqlite", "into-postgres"])
def target_url(request, tmp_path):
    """A database without tables."""
    if request.param == "into-sqlite":
        yield f"sqlite:///{tmp_path / 'elsewhere' / 'phylon.db'}"
        return
    server = request.getfixturevalue("postgres_url")
    yield make_database(server, "restored")
    with contextlib.closing(connect(server)) as connection:
        connection.execute("DROP DATABASE restored WITH (FORCE)")


@pytest.fixture
def target(target_url, tmp_path):
    return Target(target_url, tmp_path / "elsewhere" / "artifacts", tmp_path / "elsewhere")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "backup.tar"


def value_of(column, number, *, with_nul):
    """Something that is awkward to carry over; each number has its own where columns must differ."""
    kind = column.type
    if column.nullable and number == 3:
        return None
    if isinstance(kind, RealNumber):
        return {2: float("nan"), 3: 1e-310, 4: float("-inf")}[number]
    if isinstance(kind, sa.JSON):
        return {2: sa.JSON.NULL, 3: [], 4: {"é": [None, "\0", 1e308, 2**60]}}[number]
    if isinstance(kind, sa.LargeBinary):
        return bytes(range(256)) * (number - 2)
    if isinstance(kind, sa.Boolean):
        return number == 2
    if isinstance(kind, sa.Float):
        return number + 0.1
    if isinstance(kind, sa.Integer):
        return number
    if isinstance(kind, sa.String):
        nul = "\0" if with_nul else ""
        return f"{number}😀" if kind.length else f"{number}\n\\'\"{nul} 😀"
    return datetime(2026, 1, number, 3, 4, 5, 678901, UTC)


def fill(url):
    """Three rows in every table that the models know."""
    engine = make_engine(url)
    with_nul = engine.dialect.name == "sqlite"
    with engine.begin() as connection:
        for table in Base.metadata.sorted_tables:
            rows = [{c.name: value_of(c, number, with_nul=with_nul) for c in table.columns} for number in NUMBERS]
            connection.execute(sa.insert(table), rows)
    engine.dispose()


def dump(url):
    """Every value as text, by table; JSON as it is stored."""
    engine = make_engine(url)
    found = {}
    with engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            columns = [
                sa.cast(column, sa.Text) if isinstance(column.type, sa.JSON) else column for column in table.columns
            ]
            statement = sa.select(*columns).order_by(*table.primary_key.columns)
            found[table.name] = [[as_text(value) for value in row] for row in connection.execute(statement)]
    engine.dispose()
    return found


def as_text(value):
    return value if isinstance(value, str) else repr(value)  # NaN equals nothing, its name does


def as_kept_by(url, tables):
    """Postgres keeps no NUL in texts. In JSON, where it is written `\\u0000`, it does."""
    if url.startswith("sqlite"):
        return tables
    return {
        name: [[value.replace("\0", "\N{REPLACEMENT CHARACTER}") for value in row] for row in rows]
        for name, rows in tables.items()
    }


def test_every_value_of_every_table(database_url, target, file):
    fill(database_url)
    manifest = write(file, Source(database_url, None, None))
    assert {table.name for table in manifest.tables} == set(Base.metadata.tables)
    restore(file, target)
    before = dump(database_url)
    assert all(len(rows) >= len(NUMBERS) for rows in before.values())
    assert dump(target.database_url) == as_kept_by(target.database_url, before)
    again = file.with_name("again.tar")
    write(again, Source(target.database_url, None, None))
    assert [table.rows for table in open_manifest(again).tables] == [table.rows for table in manifest.tables]


def open_manifest(file):
    with open_checked(file) as reader:
        return reader.manifest


def test_numbers_go_on_where_they_were(database_url, target, file):
    """Also of rows that were deleted, and of tables that are empty."""
    fill(database_url)
    engine = make_engine(database_url)
    with engine.begin() as connection:
        for number in (70, 80):
            stored = {"id": number, "name": "n", "owner_id": 1, "project_id": 1, "description": "", "yaml": ""}
            connection.execute(sa.insert(Group), stored | {"created_at": datetime.now(UTC)})
            if engine.dialect.name == "postgresql":
                connection.execute(sa.text(f"SELECT setval(pg_get_serial_sequence('groups', 'id'), {number})"))
        connection.execute(sa.text("DELETE FROM groups WHERE id = 80"))
        connection.execute(sa.text("DELETE FROM log_lines"))
    engine.dispose()
    lines = write(file, Source(database_url, None, None)).numbers["log_lines"]
    restore(file, target)
    numbers = write(file.with_name("again.tar"), Source(target.database_url, None, None)).numbers
    assert (numbers["groups"], numbers["jobs"], numbers["log_lines"]) == (80, 100, lines)
    database = Database(target.database_url)
    with database.write() as session:
        group = Group(name="new", owner_id=1, project_id=1, description="", yaml="", created_at=datetime.now(UTC))
        session.add(group)
        session.flush()
        assert group.id == 81
    database.dispose()


class TestService:
    """A service that is backed up while it works, and goes on from the backup on another database."""

    @pytest.fixture
    def home(self, tmp_path):
        home = tmp_path / "home"
        home.mkdir()
        (home / "worker-token").write_text("a secret\n")
        (home / "up.lock").touch()
        return home

    @pytest.fixture
    def restored(self, target, settings):
        """Starts a service on what was restored."""
        opened = []

        def start():
            changes = {"database_url": target.database_url, "artifacts": target.artifacts}
            app = create_app(type(settings)(**{**vars(settings), **changes}))
            opened.append(app.state.context)
            return TestClient(app, base_url="http://127.0.0.1:8787")

        yield start
        for context in opened:
            context.doorbell.close()
            context.database.dispose()

    def test_it_goes_on(self, client, worker, settings, home, target, file, restored):
        body, key = {"spec": SPEC}, {"Idempotency-Key": "the only one"}
        first = client.post("/api/v1/experiments", json=body, headers=key).json()
        run = first["runs"][0]["id"]
        attempt = worker.take(run)
        content = os.urandom(3_000_000)
        digest = hashlib.sha256(content).hexdigest()
        worker.upload(run, attempt, "000001.npz", content, digest, step=200)
        saved = {"kind": "checkpoint", "seq": 0, "step": 200, "wall": 1.0, "number": 1, "file": "000001.npz"}
        worker.report(run, attempt, [saved | {"bytes": len(content), "sha256": digest}])
        deleted = client.post("/api/v1/experiments", json=body).json()
        client.post(f"/api/v1/experiments/{deleted['id']}/stop")
        client.delete(f"/api/v1/experiments/{deleted['id']}")
        manifest = write(file, Source(settings.database_url, settings.artifacts, home))
        assert (len(manifest.artifacts), manifest.missing, manifest.settings) == (1, [], ["worker-token"])
        assert file.stat().st_mode & 0o777 == 0o600

        done = restore(file, target)
        assert (done.artifacts, done.settings, done.replaced) == (1, ["worker-token"], None)
        assert (target.home / "worker-token").read_text() == "a secret\n"
        again = restored()
        assert again.get(f"/api/v1/runs/{run}").json() == client.get(f"/api/v1/runs/{run}").json()
        repeated = again.post("/api/v1/experiments", json=body, headers=key).json()
        assert (repeated["id"], repeated["runs"][0]["id"]) == (first["id"], run)
        new = again.post("/api/v1/experiments", json=body).json()
        assert new["id"] > deleted["id"] and new["runs"][0]["id"] > deleted["runs"][0]["id"]

        same = WorkerClient(again)
        same.id, same.headers = worker.id, worker.headers
        assert same.report(run, attempt).status_code == 200  # its lease was restored too
        same.release(run, attempt)
        claim = same.claim(run).json()
        checkpoint = claim["payload"]["checkpoints"][0]
        assert (claim["attempt"], checkpoint["sha256"]) == (attempt + 1, digest)
        assert same.get(f"/artifacts/{checkpoint['artifact_id']}/content").content == content

    def test_artifacts_that_are_gone_or_changed_are_listed(self, client, worker, run_id, settings, file, target):
        attempt = worker.take(run_id)
        for name in ("gone.mp4", "changed.mp4"):
            worker.upload(run_id, attempt, name, b"film", hashlib.sha256(b"film").hexdigest())
        (gone,) = settings.artifacts.glob("*/*gone.mp4")
        (changed,) = settings.artifacts.glob("*/*changed.mp4")
        gone.unlink()
        changed.write_bytes(b"other")
        manifest = write(file, Source(settings.database_url, settings.artifacts, None))
        assert manifest.missing == [str(gone.relative_to(settings.artifacts))]
        assert manifest.damaged == manifest.artifacts == [str(changed.relative_to(settings.artifacts))]
        restore(file, target)
        assert (target.artifacts / manifest.artifacts[0]).read_bytes() == b"other"

    def test_without_artifacts(self, worker, run_id, settings, file, tmp_path):
        worker.upload(run_id, worker.take(run_id), "a.mp4", b"film", hashlib.sha256(b"film").hexdigest())
        whole, small = file, tmp_path / "small.tar"
        write(whole, Source(settings.database_url, settings.artifacts, None))
        assert write(small, Source(settings.database_url, None, None)).artifacts is None
        without = Target(f"sqlite:///{tmp_path / 'a.db'}", None, tmp_path / "a")
        assert restore(whole, without).artifacts == 0
        assert restore(small, Target(f"sqlite:///{tmp_path / 'b.db'}", tmp_path / "b", tmp_path)).artifacts == 0

    def test_it_is_one_moment_while_others_write(self, context, database_url, file):
        """Each transaction adds a user and its membership. Between these tables lies a long one, during which many
        such transactions end; no snapshot holds one row without the other."""
        with context.database.write() as session:
            worker = {"name": "w", "device": "cpu", "device_name": "", "device_count": 1, "memory_bytes": 1}
            worker |= {
                "versions": {},
                "suites": [],
                "registered_at": datetime.now(UTC),
                "last_seen_at": datetime.now(UTC),
            }
            session.execute(sa.insert(Worker), [worker] * 10_000)
        ended, written = threading.Event(), []

        def work():
            for number in itertools.count(2):
                with context.database.write() as session:
                    user = User(email=str(number), name="", is_admin=False, created_at=datetime.now(UTC))
                    session.add(user)
                    session.flush()
                    session.add(Membership(project_id=1, user_id=user.id, role="viewer"))
                written.append(number)
                if ended.is_set():
                    return

        writer = threading.Thread(target=work)
        writer.start()
        try:
            wait_for(lambda: written, "the writer")
            begun = len(written)
            manifest = write(file, Source(database_url, None, None))
            during = len(written) - begun
        finally:
            ended.set()
            writer.join()
        names = [table.name for table in manifest.tables]
        assert names.index("users") < names.index("workers") < names.index("memberships"), "no long table in between"
        rows = {table.name: table.rows for table in manifest.tables}
        assert rows["users"] - 1 == rows["memberships"] >= begun
        assert during > 0


class TestOldBackups:
    @pytest.fixture
    def source_url(self, empty_url):
        old_release.write(empty_url)
        return empty_url

    def test_an_old_backup_is_brought_forward(self, source_url, target, file):
        """As if the database itself had been migrated."""
        assert write(file, Source(source_url, None, None)).revision == old_release.REVISION
        assert restore(file, target).revision == schema.newest()
        migrate(source_url)
        direct, restored = dump(source_url), dump(target.database_url)
        for made_by_migrations in ("users", "projects"):  # they have the time of the migration
            assert len(direct.pop(made_by_migrations)) == len(restored.pop(made_by_migrations))
        assert restored == direct
        numbers = [
            write(file.with_name(name), Source(url, None, None)).numbers
            for name, url in (("a.tar", source_url), ("b.tar", target.database_url))
        ]
        given = [{table: number for table, number in each.items() if number} for each in numbers]
        assert given[0] == given[1]  # SQLite knows nothing of a table that never had a row, Postgres says 0
        assert numbers[0]["runs"] == old_release.HIGHEST_RUN

    def test_one_of_a_newer_release_is_refused(self, sqlite_template, tmp_path, file):
        write(file, Source(f"sqlite:///{sqlite_template}", None, None))
        rewrite_manifest(file, lambda manifest: manifest | {"revision": "9999", "phylon": "7.0"})
        with pytest.raises(BackupUnusable, match=r"written by a newer Phylon, 7\.0: it has schema 9999"):
            restore(file, Target(f"sqlite:///{tmp_path / 'new.db'}", None, tmp_path))
        assert not (tmp_path / "new.db").exists()


def rewrite_manifest(file, change):
    """As a program would that knows the format."""
    parts = {}
    with tarfile.open(file) as tar:
        for member in tar:
            parts[member.name] = tar.extractfile(member).read()
    text = json.dumps(change(json.loads(parts["manifest.json"]))).encode()
    parts |= {"manifest.json": text, "manifest.sha256": hashlib.sha256(text).hexdigest().encode()}
    with tarfile.open(file, "w") as tar:
        for name, content in parts.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


@pytest.fixture(scope="module")
def whole(tmp_path_factory, sqlite_template):
    folder = tmp_path_factory.mktemp("whole")
    (folder / "home").mkdir()
    (folder / "home" / "worker-token").write_text("secret")
    write(folder / "backup.tar", Source(f"sqlite:///{sqlite_template}", None, folder / "home"))
    return folder / "backup.tar"


class TestDamage:
    def refused(self, file, tmp_path):
        with pytest.raises(BackupUnusable, match="Nothing was changed"):
            restore(file, Target(f"sqlite:///{tmp_path / 'new.db'}", tmp_path / "artifacts", tmp_path / "home"))
        assert not (tmp_path / "new.db").exists() and not (tmp_path / "home").exists()

    def test_every_changed_part(self, whole, tmp_path, file):
        with tarfile.open(whole) as tar:
            places = {member.name: member.offset_data + member.size // 2 for member in tar}
        assert len(places) == len(Base.metadata.tables) + 3
        for place in places.values():
            content = bytearray(whole.read_bytes())
            content[place] ^= 1
            file.write_bytes(content)
            self.refused(file, tmp_path)

    @pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.7])  # the last fifth may be the padding of tar
    def test_a_cut_off_end(self, whole, tmp_path, file, share):
        file.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
        self.refused(file, tmp_path)

    def test_no_backup_at_all(self, tmp_path, file):
        self.refused(file, tmp_path)
        file.write_text("not a backup")
        self.refused(file, tmp_path)

    def test_a_part_that_leads_elsewhere(self, whole, tmp_path, file):
        file.write_bytes(whole.read_bytes())

        def lead_out(manifest):
            parts = [
                part | {"name": part["name"].replace("settings/worker-token", "settings/../../worker-token")}
                for part in manifest["parts"]
            ]
            return manifest | {"parts": parts, "settings": ["../../worker-token"]}

        rewrite_manifest(file, lead_out)
        self.refused(file, tmp_path)


class TestRefusals:
    def test_a_database_that_is_in_use(self, database_url, tmp_path, file, submit):
        """With --replace it is kept in a file, of which it can be had again."""
        write(file, Source(database_url, None, None))
        experiment = submit()["id"]
        place = Target(database_url, None, tmp_path / "home")
        with pytest.raises(DatabaseInUse, match="is not empty"):
            restore(file, place)
        assert count(database_url, "experiments") == 1
        replaced = restore(file, place, replace=True).replaced
        assert count(database_url, "experiments") == 0
        assert replaced.parent == tmp_path / "home" / "backups"
        if replaced.suffix == ".tar":
            restore(replaced, place)
            assert count(database_url, "experiments") == experiment
        else:
            assert count(f"sqlite:///{replaced}", "experiments") == experiment

    def test_a_database_that_was_only_migrated_is_empty(self, empty_url, sqlite_template, tmp_path, file):
        write(file, Source(f"sqlite:///{sqlite_template}", None, None))
        migrate(empty_url)
        assert restore(file, Target(empty_url, None, tmp_path / "home")).replaced is None

    def test_tables_of_other_programs_stay(self, postgres_url, sqlite_template, tmp_path, file):
        url = make_database(postgres_url, "shared")
        write(file, Source(f"sqlite:///{sqlite_template}", None, None))
        with contextlib.closing(connect(url)) as connection:
            connection.execute("CREATE TABLE theirs (id int)")
            connection.execute("INSERT INTO theirs VALUES (1)")
            restore(file, Target(url, None, tmp_path))
            restore(file, Target(url, None, tmp_path), replace=True)
            assert connection.execute("SELECT * FROM theirs").fetchall() == [(1,)]
            manifest = write(tmp_path / "shared.tar", Source(url, None, None))
        assert "theirs" not in {table.name for table in manifest.tables}
        with contextlib.closing(connect(postgres_url)) as connection:
            connection.execute("DROP DATABASE shared WITH (FORCE)")

    def test_a_row_that_does_not_fit(self, sqlite_template, postgres_url, tmp_path, file):
        """SQLite keeps texts of any length; nothing is half restored."""
        source = tmp_path / "source.db"
        source.write_bytes(sqlite_template.read_bytes())
        engine = make_engine(f"sqlite:///{source}")
        with engine.begin() as connection:
            connection.execute(sa.text("UPDATE users SET name = :name"), {"name": "x" * 101})
        engine.dispose()
        write(file, Source(f"sqlite:///{source}", None, None))
        url = make_database(postgres_url, "tight")
        with pytest.raises(RowRefused, match=r"table users: value too long .* No row was restored"):
            restore(file, Target(url, None, tmp_path))
        assert count(url, "users") == 1  # of the migration: as good as empty
        with contextlib.closing(connect(postgres_url)) as connection:
            connection.execute("DROP DATABASE tight WITH (FORCE)")

    def test_nothing_to_back_up(self, empty_url, file):
        with pytest.raises(NothingToBackUp, match="has no tables"):
            write(file, Source(empty_url, None, None))
        assert list(file.parent.glob("*.part")) == [] and not file.exists()

    def test_a_file_is_not_written_over(self, sqlite_template, file):
        file.write_text("an older backup")
        with pytest.raises(BackupExists):
            write(file, Source(f"sqlite:///{sqlite_template}", None, None))
        assert file.read_text() == "an older backup"

    def test_a_newer_database(self, empty_url, tmp_path, file):
        migrate(empty_url)
        pretend_newer(empty_url)
        with pytest.raises(schema.SchemaNewer):
            write(file, Source(empty_url, None, None))


def pretend_newer(url):
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()


def count(url, table):
    engine = make_engine(url)
    with engine.connect() as connection:
        found = connection.scalar(sa.select(sa.func.count()).select_from(sa.table(table)))
    engine.dispose()
    return found


def test_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PHYLON_DATABASE_URL", raising=False)
    monkeypatch.setenv("PHYLON_HOME", str(tmp_path / "one"))
    migrate(f"sqlite:///{tmp_path}/one/phylon.db")
    file = str(tmp_path / "b.tar")
    assert main(["write", file]) == 0
    assert f"{file}: 2 rows of {len(Base.metadata.tables)} tables, 0 artifacts" in capsys.readouterr().out
    assert main(["write", file]) == 1
    assert "is already there. Choose another name" in capsys.readouterr().err
    monkeypatch.setenv("PHYLON_HOME", str(tmp_path / "two"))
    assert main(["restore", file]) == 0
    shown = capsys.readouterr().out
    assert "1 projects" in shown and f"Restored {file}, written" in shown
    Path(file).write_bytes(b"")
    assert main(["restore", file]) == 1
    assert "Traceback" not in capsys.readouterr().err
