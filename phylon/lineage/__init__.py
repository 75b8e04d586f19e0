"""Analyses of a lineage: pure functions that the CLI and the service share.

ancestry.py   who descends from whom, and whose founder prevails
lines.py      the tree of the living, one line a member
schedule.py   the hyper-parameters that a member's ancestors lived through
gain.py       what births brought, by operator and by move
summary.py    all of that in one answer
newick.py     the whole tree for programs that draw phylogenies
ray_log.py    Ray Tune's mutation logs; ray_export.py writes a lineage as such, ray_import.py reads one (ray_values.py)
"""
