"""Population Based Bandits: hyper-parameters chosen by models of what was gained with which, instead of by chance."""

from worker.population.pb2.pb2 import pb2
from worker.population.pb2.pb2_mix import pb2_mix
from worker.population.pb2.pb2_mult import pb2_mult
from worker.population.pb2.pb2_rand import pb2_rand

__all__ = ["pb2", "pb2_mix", "pb2_mult", "pb2_rand"]
