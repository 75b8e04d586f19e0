"""How many hosts a spec may ask for, and how many members each of them has."""

import pytest

from phylon.forecast.memory import members_each
from phylon.spec import SpecInvalid, parse_spec, parse_study

SPEC = {
    "name": "hosts",
    "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
    "algorithm": {"name": "td3", "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]}},
    "population": {"size": 5, "method": {"name": "pbt"}},
    "budget": {"env_steps": 100_000},
}
CEM = {"algorithm": {"name": "td3"}, "population": {"size": 10, "method": {"name": "cem_rl"}}}


def with_hosts(changes=None, **resources):
    return parse_spec(SPEC | (changes or {}) | {"resources": resources})


def test_one_unless_it_is_written():
    assert (with_hosts().resources.hosts, with_hosts().resources.fewest_hosts) == (1, 1)
    assert with_hosts(hosts=3).resources.fewest_hosts == 3
    assert with_hosts(hosts=3, min_hosts=2).resources.fewest_hosts == 2


@pytest.mark.parametrize(
    ("resources", "path", "remedy"),
    [
        ({"hosts": 6}, "resources.hosts", "use at most 5 hosts, or a larger population"),
        ({"hosts": 2, "min_hosts": 3}, "resources", "lower min_hosts, or raise hosts"),
        ({"min_hosts": 2}, "resources", "lower min_hosts, or raise hosts"),
        ({"hosts": 0}, "resources.hosts", None),
    ],
)
def test_what_cannot_be(resources, path, remedy):
    with pytest.raises(SpecInvalid) as refused:
        with_hosts(**resources)
    [problem] = refused.value.problems
    assert problem["path"] == path
    assert remedy in (None, problem["remedy"])


def test_a_study_measures_one_machine():
    study = {"version": 1, "name": "s", "kind": "runtime_study", "algorithms": ["td3"], "population_sizes": [1]}
    with pytest.raises(SpecInvalid, match="a study measures one machine"):
        parse_study(study | {"resources": {"hosts": 2}})


def test_the_largest_block_of_members_is_what_is_forecast():
    assert members_each(with_hosts()) == 5
    assert members_each(with_hosts(hosts=2)) == 3
    assert members_each(with_hosts(CEM, hosts=2)) == 10, "members that learn as one are learned on each host"
