"""Everything that a service holds, in one file: its database, its artifacts, its settings.

The format belongs to no database, so what SQLite held can go on in Postgres. The schema that it has is followed as it
is found: no table is named here but the one that says where artifacts lie.
"""
