"""Population Based Bandits: hyper-parameters chosen by models of what was gained with which, instead of by chance."""

from phylon.worker.population.pb2.pb2 import pb2
from phylon.worker.population.pb2.pb2_mix import pb2_mix
from phylon.worker.population.pb2.pb2_mult import pb2_mult
from phylon.worker.population.pb2.pb2_rand import pb2_rand

__all__ = ["pb2", "pb2_mix", "pb2_mult", "pb2_rand"]
