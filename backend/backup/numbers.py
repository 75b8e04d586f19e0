"""The highest number that a table ever gave to a row. Numbers are never given twice, also not after a restore: run
directories and messages name runs by number."""

import sqlalchemy as sa


def highest(connection: sa.Connection, tables: list[sa.Table]) -> dict[str, int]:
    """By table, for those that number their rows."""
    if connection.dialect.name == "sqlite":
        names = {table.name for table in tables}
        rows = connection.execute(sa.text("SELECT name, seq FROM sqlite_sequence")).all()
        return {name: number for name, number in rows if name in names}
    found: dict[str, int] = {}
    for name, sequence in _sequences(connection, tables).items():
        value, is_called = connection.execute(sa.text(f"SELECT last_value, is_called FROM {sequence}")).one()
        found[name] = value if is_called else 0
    return found


def continue_after(connection: sa.Connection, tables: list[sa.Table], numbers: dict[str, int]) -> None:
    """New rows get numbers above these, and above those of all rows."""
    if connection.dialect.name == "sqlite":
        present = highest(connection, tables)
        for name in _numbered(connection, tables):
            row = {"name": name, "seq": max(present.get(name, 0), numbers.get(name, 0))}
            connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
            connection.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), row)
        return
    sequences = _sequences(connection, tables)
    for table in tables:
        if table.name in sequences:
            (key,) = table.primary_key.columns
            number = max(connection.scalar(sa.select(sa.func.max(key))) or 0, numbers.get(table.name, 0))
            if number:
                given = {"sequence": sequences[table.name], "number": number}
                connection.execute(sa.text("SELECT setval(:sequence, :number)"), given)


def _numbered(connection: sa.Connection, tables: list[sa.Table]) -> set[str]:
    statement = sa.text("SELECT name FROM sqlite_master WHERE type = 'table' AND upper(sql) LIKE '%AUTOINCREMENT%'")
    return {table.name for table in tables} & set(connection.scalars(statement))


def _sequences(connection: sa.Connection, tables: list[sa.Table]) -> dict[str, str]:
    found: dict[str, str] = {}
    for table in tables:
        keys = list(table.primary_key.columns)
        if len(keys) == 1:
            names = {"table": table.name, "column": keys[0].name}
            sequence = connection.scalar(sa.text("SELECT pg_get_serial_sequence(:table, :column)"), names)
            if sequence is not None:
                found[table.name] = sequence
    return found
