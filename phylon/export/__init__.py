"""A run's metrics and lineage in the formats of other programs. The CLI and the service share it.

metrics.py       metrics in long form, from events or from a metrics.csv
lineage.py       one row a span
interruptions.py one row per interruption that left the path of an undisturbed run
formats.py       a table as the bytes of a CSV or Parquet file, piece by piece
tensorboard.py   event files, one directory a member
seed_files.py    returns as one text file per seed, written and read
"""
