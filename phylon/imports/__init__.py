"""Results that other programs wrote, read into runs. The service reads what the CLI and the page send it.

results.py       what every reader gives: runs with their curves
csv_results.py   CSV with documented columns, and the metrics.csv of our own exports
sr_sac.py        one text file per seed
ray_results.py   the folders of Ray Tune's trials
tensorboard.py   event files, by the records of event_reader.py
collecting.py    the files below a path that a format reads
formats.py       which reader is meant by which files
"""
