"""Every strategy trains every member as if it were alone."""

import jax
import numpy as np
import pytest

from phylon.worker.execution import checksum

SIZE, UPDATES = 4, 6


class TestUpdate:
    def test_equals_members_trained_alone(self, setting, execution, members_one_by_one):
        population, report = setting.train(execution, setting.start(execution))
        for slot, (state, metrics) in enumerate(members_one_by_one):
            jax.tree.map(
                lambda stacked, alone, slot=slot: np.testing.assert_allclose(
                    stacked[slot], alone, rtol=2e-4, atol=2e-6
                ),
                jax.device_get(population),
                state,
            )
            for name, value in metrics.items():
                np.testing.assert_allclose(report.metrics[name][slot], value, rtol=1e-4, atol=1e-6, err_msg=name)

    def test_reports_the_hyperparams_of_each_member(self, setting, execution):
        _, report = setting.train(execution, setting.start(execution))
        for name, values in setting.hyperparams.items():
            np.testing.assert_array_equal(report.hyperparams[name], values, err_msg=name)

    def test_is_the_same_again_bit_for_bit(self, setting, execution):
        first, _ = setting.train(execution, setting.start(execution))
        second, _ = setting.train(execution, setting.start(execution))
        np.testing.assert_array_equal(checksum(first), checksum(second))

    def test_depends_on_the_numbers_of_the_updates(self, setting, execution):
        first, _ = setting.train(execution, setting.start(execution), first=0)
        second, _ = setting.train(execution, setting.start(execution), first=1)
        assert (checksum(first) != checksum(second)).any(axis=1).all()

    def test_how_updates_are_shared_out_to_calls_makes_no_difference(self, setting, execution):
        whole, report = setting.train(execution, setting.start(execution), first=10)
        population, losses = setting.start(execution), []
        for place in (0, 2, 4):
            share = jax.tree.map(lambda field, place=place: field[:, place : place + 2], setting.batches)
            population, partial = setting._replace(batches=share).train(execution, population, first=10 + place)
            losses.append(partial.metrics["critic_loss"])
        np.testing.assert_array_equal(checksum(population), checksum(whole))
        np.testing.assert_allclose(np.mean(losses, axis=0), report.metrics["critic_loss"], rtol=1e-5)

    @pytest.mark.parametrize("execution", ["sequential", "vectorized", "sharded"], indirect=True)
    def test_uses_the_memory_of_the_old_population(self, setting, execution):
        population = setting.start(execution)
        setting.train(execution, population)
        assert all(leaf.is_deleted() for leaf in jax.tree.leaves(population))

    def test_changed_numbers_compile_nothing(self, setting, execution, compilations):
        population, _ = setting.train(execution, setting.start(execution))
        compilations.clear()
        for call in range(1, 4):
            changed = {name: values * np.float32(0.9) for name, values in setting.hyperparams.items()}
            population, report = setting.train(execution, population, UPDATES * call, **changed)
            np.testing.assert_array_equal(report.hyperparams["discount"], changed["discount"])
        assert compilations == []


class TestGather:
    def test_moves_whole_members(self, setting, execution):
        population, _ = setting.train(execution, setting.start(execution))
        before, kept = checksum(population), jax.device_get(population)
        parents = np.array([3, 1, 1, 0], np.int32)
        gathered = execution.gather(population, parents)
        jax.tree.map(lambda new, old: np.testing.assert_array_equal(new, old[parents]), jax.device_get(gathered), kept)
        np.testing.assert_array_equal(checksum(gathered), before[parents])

    def test_members_stay_where_members_live(self, setting, execution):
        population = setting.start(execution)
        gathered = execution.gather(population, np.array([1, 1, 2, 3], np.int32))
        for new, old in zip(jax.tree.leaves(gathered), jax.tree.leaves(population), strict=True):
            assert type(new) is type(old)
            if isinstance(new, jax.Array):
                assert new.sharding.is_equivalent_to(old.sharding, old.ndim)

    def test_keeps_every_bit(self, setting, execution):
        """Minus zero and the payload of a NaN: a sum over masked parts would lose them."""
        odd = np.array([[-0.0], [np.nan], [1e-42], [-np.inf]], np.float32)
        gathered = execution.gather(execution.place(odd), np.array([2, 0, 1, 3], np.int32))
        np.testing.assert_array_equal(np.asarray(gathered).view(np.uint32), odd[[2, 0, 1, 3]].view(np.uint32))


class TestChecksum:
    def test_tells_members_apart(self, setting, execution):
        assert len(np.unique(checksum(setting.start(execution)), axis=0)) == SIZE

    @pytest.mark.parametrize("change", ["last bit", "swapped places"])
    def test_notices_any_change(self, setting, execution, change):
        population = jax.device_get(setting.start(execution))
        changed = jax.tree.map(np.copy, population)
        weights = changed.critic["params"]["hidden_0"]["kernel"]
        if change == "last bit":
            weights.view(np.uint32)[2, 0, 0, 0] ^= 1
        else:
            weights[2, 0, 0, [0, 1]] = weights[2, 0, 0, [1, 0]]
        before, after = checksum(execution.place(population)), checksum(execution.place(changed))
        assert np.flatnonzero((before != after).any(axis=1)).tolist() == [2]


class TestSharded:
    def test_splits_members_over_devices(self, setting):
        execution = setting.build("sharded")
        assert len(execution.devices) == 2
        leaf = jax.tree.leaves(setting.start(execution))[0]
        assert {device.id: index[0] for device, index in leaf.sharding.devices_indices_map(leaf.shape).items()} == {
            0: slice(0, 2),
            1: slice(2, 4),
        }
