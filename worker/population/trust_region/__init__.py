"""Bayesian optimisation in a trust region: numbers and categories chosen together, near those of a good member.

The explore step of BG-PBT (Wan et al. 2022, arXiv 2207.09405) and of IPBT. The Gaussian process is PB2's.
"""
