"""Why a run came to its result: pure functions over its lineage and evaluations, shared by the CLI and the service.

outcomes.py         what came of every span: its return, gain, standing and progress
ranks.py            standing among others at the same time
importance.py       which hyper-parameter predicts progress, and how sure that is
levels.py           the values of a hyper-parameter in a few steps
bounds.py           how long values lay at a bound
selection_noise.py  how often a donor would have been chosen again
explanation.py      all of that in one answer
"""
