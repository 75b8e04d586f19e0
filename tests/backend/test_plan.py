"""What must hold of every plan, whatever waits and whoever runs."""

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.backend.queue.ask import Ask, Needs, Offer, ask_of_each, describe, find_lacking, hosts_to_try, read, write
from phylon.backend.queue.floor import Host, Running
from phylon.backend.queue.line import PROMOTION_SECONDS, Batch, promote
from phylon.backend.queue.plan import (
    LEAST_RUN_SECONDS,
    OVERDUE_SECONDS,
    RESERVE_AFTER_SECONDS,
    Queue,
    Terms,
    order,
    plan,
)
from phylon.backend.queue.shares import Person, accrue, fade
from phylon.contract.vocabulary import WaitReason

NOW = 1_000_000.0
GIGABYTE = 10**9
ONE = Ask(1, "any", None, None, (), (), None)
ADA, BOB, EVE = Person(1, 1), Person(1, 2), Person(2, 3)


def offer(slots=4, device="gpu", memory=24 * GIGABYTE, labels=(), suites=("gymnasium",)) -> Offer:
    return Offer(device, slots, memory, 64 * GIGABYTE, labels, suites, None, None)


def host(id, slots=4, busy=0, **changes) -> Host:
    return Host(id, offer(slots, **changes), tuple(range(busy, slots)))


def running(job_id, worker_id=1, devices=1, person=ADA, priority=1, ends_in=None, is_yielding=False, **more) -> Running:
    ends_at = None if ends_in is None else NOW + ends_in
    job = Running(job_id, person, priority, worker_id, devices, NOW - LEAST_RUN_SECONDS, ends_at, is_yielding)
    return job._replace(**more)


def batch(*jobs, person=ADA, priority=1, ask=ONE, expected=None, waited=0.0, devices=None) -> Batch:
    ask = ask if devices is None else ask._replace(devices=devices)
    return Batch(person, priority, ask, expected, NOW - waited, [(job, job) for job in jobs])


def queue(batches=(), hosts=(), running=(), used=None, terms=None, now=NOW) -> Queue:
    return Queue(now, list(batches), list(hosts), list(running), used or {}, terms or {})


def placed(made) -> list[int]:
    return [placement.job_id for placement in made.placements]


class TestOrder:
    def test_class_then_share_then_age(self):
        batches = [
            batch(1, person=ADA),
            batch(2, person=BOB),
            batch(3, person=BOB, priority=2),
            batch(4, person=EVE, priority=0),
        ]
        used = {ADA: 5000.0, BOB: 1000.0}
        assert order(queue(batches, used=used)) == [3, 2, 1, 4]

    def test_users_within_projects(self):
        """A project that was served less goes first, whoever of its people asks."""
        batches = [batch(1, person=ADA), batch(2, person=EVE)]
        used = {ADA: 0.0, BOB: 9000.0, EVE: 5000.0}
        assert order(queue(batches, used=used)) == [2, 1]
        assert order(queue(batches, used=used, terms={1: Terms(weight=3.0)})) == [1, 2]

    def test_nobody_floods_within_a_look(self):
        batches = [batch(*range(1, 9), person=ADA), batch(*range(11, 19), person=BOB)]
        made = plan(queue(batches, [host(1, slots=8)]))
        assert Counter(job < 10 for job in placed(made)) == {True: 4, False: 4}

    def test_running_jobs_count_before_any_use_of_theirs_is_seen(self):
        batches = [batch(1, person=ADA), batch(2, person=BOB)]
        made = plan(queue(batches, [host(1, slots=2, busy=1)], [running(9, person=ADA)]))
        assert placed(made) == [2]

    def test_one_job_of_each_who_waits_for_a_day_goes_with_the_highest_class(self):
        low, high = batch(1, 2, priority=0, person=BOB, waited=PROMOTION_SECONDS), batch(3, priority=2, person=ADA)
        batches = promote([low, high], set(), NOW)
        assert order(queue(batches, used={ADA: 10.0})) == [1, 3, 2]
        assert promote([low, high], {(BOB, 0)}, NOW) == [low, high], "it had its turn today"

    def test_a_moved_job(self):
        moved = batch(1, 2)._replace(jobs=[(1, 2), (2, 1)])
        assert order(queue([moved])) == [2, 1]


class TestPlacement:
    def test_what_does_not_fit_holds_up_nobody(self):
        """Thousands that no worker can take, and one that fits behind them."""
        none = ONE._replace(labels=("h100",))
        batches = [*(batch(number, ask=none) for number in range(1, 3000)), batch(5000)]
        made = plan(queue(batches, [host(1)]))
        assert placed(made) == [5000]
        assert made.reasons[0] == WaitReason.NO_WORKER

    def test_small_jobs_fill_gaps_so_that_large_ones_find_room(self):
        made = plan(queue([batch(1)], [host(1), host(2, busy=3)]))
        assert made.placements[0].worker_id == 2

    def test_what_few_need_is_kept_for_them(self):
        hosts = [host(1, labels=("a100",), memory=80 * GIGABYTE), host(2)]
        made = plan(queue([batch(1)], hosts))
        assert made.placements[0].worker_id == 2

    def test_enough_devices_but_not_together(self):
        made = plan(queue([batch(1, devices=4)], [host(1, busy=2), host(2, busy=2)]))
        assert made.reasons == {0: WaitReason.PLACEMENT}

    def test_one_worker_alone(self):
        made = plan(queue([batch(1, ask=ONE._replace(worker_id=2)), batch(2)], [host(1, slots=1), host(2, slots=1)]))
        assert {item.job_id: item.worker_id for item in made.placements} == {1: 2, 2: 1}


class TestReservation:
    def large(self, **changes):
        return batch(1, devices=4, waited=RESERVE_AFTER_SECONDS, person=BOB, **changes)

    def test_what_would_not_end_before_waits(self):
        """The worker is free for the large job in 1000 s: a job of 900 s may go in between, others may not."""
        busy = [running(8, devices=2, ends_in=1000.0, person=EVE)]
        batches = [
            self.large(),
            batch(2, expected=900.0),
            batch(3, expected=1100.0),
            batch(4),
        ]
        made = plan(queue(batches, [host(1, busy=2)], busy, used={ADA: 9e9}))
        assert placed(made) == [2]
        assert made.reservations[0].starts_at == NOW + 1000
        assert {made.reasons[2], made.reasons[3]} == {WaitReason.RESERVED}

    def test_a_running_job_of_unknown_length_does_not_keep_the_door_open(self):
        made = plan(
            queue([self.large(), batch(2, expected=900.0)], [host(1, busy=2)], [running(8, devices=2)], {ADA: 9e9})
        )
        assert placed(made) == []

    def test_slots_that_it_will_not_need_are_given_away(self):
        busy = [running(8, devices=2, ends_in=1000.0, person=EVE)]
        made = plan(queue([self.large(), batch(2, 3)], [host(1, slots=5, busy=2)], busy, used={ADA: 9e9}))
        assert placed(made) == [2]

    def test_after_a_day_nobody_passes_it(self):
        """Though everyone else was served less."""
        large = batch(1, devices=4, waited=OVERDUE_SECONDS, person=BOB)
        busy = [running(8, devices=2, ends_in=1000.0, person=EVE)]
        made = plan(queue([large, batch(2)], [host(1, busy=2)], busy, used={BOB: 9e9}))
        assert (placed(made), made.reservations[0].job_id) == ([], 1)
        made = plan(queue([large, batch(2)], [host(1)], used={BOB: 9e9}))
        assert placed(made) == [1]
        one_of_his = [running(8, 2, devices=2, person=BOB)]
        made = plan(queue([large, batch(2)], [host(1), host(2, slots=2, busy=2)], one_of_his, used={BOB: 9e9}))
        assert placed(made) == [2], "a backlog of large jobs does not take everything by its age"

    def test_it_stays_where_it_was_made(self):
        """The worker that has been kept has most room, even if another one is expected to be free earlier."""
        busy = [running(8, 1, devices=1, person=EVE), running(9, 2, devices=4, ends_in=60.0, person=EVE)]
        made = plan(queue([self.large()], [host(1, busy=1), host(2, busy=4)], busy))
        assert made.reservations[0].worker_id == 1

    def test_not_before_it_has_waited(self):
        waiting = batch(1, devices=4, person=BOB, waited=RESERVE_AFTER_SECONDS - 1)
        made = plan(queue([waiting, batch(2)], [host(1, busy=2)], [running(8, devices=2)], used={ADA: 9e9}))
        assert (placed(made), made.reservations) == ([2], [])


class TestQuota:
    def test_devices_at_once(self):
        terms = {1: Terms(max_running=3)}
        made = plan(queue([batch(1, 2, 3, person=BOB)], [host(1, slots=8, busy=1)], [running(9)], terms=terms))
        assert placed(made) == [1, 2]
        assert made.reasons == {0: WaitReason.QUOTA}

    def test_device_hours_of_a_week(self):
        over, under = Terms(weekly_seconds=100.0, used_seconds=100.0), Terms(weekly_seconds=100.0, used_seconds=99.0)
        made = plan(queue([batch(1), batch(2, person=EVE)], [host(1)], terms={1: over, 2: under}))
        assert placed(made) == [2]


class TestPreemption:
    TERMS = {1: Terms(allows_preemption=True), 2: Terms()}  # noqa: RUF012

    def test_a_higher_class_asks_a_lower_one_where_its_project_allows_it(self):
        low, other = running(7, priority=0), running(8, priority=0, person=EVE)
        full = [host(1, slots=2, busy=2)]
        made = plan(queue([batch(1, priority=2, person=EVE)], full, [low, other], terms=self.TERMS))
        assert (made.yields, made.placements) == ([7], [])
        made = plan(queue([batch(1, priority=0, person=EVE)], full, [low, other], terms=self.TERMS))
        assert made.yields == []

    def test_it_asks_once_and_the_room_is_kept(self):
        low = [running(7, devices=2, priority=0, is_yielding=True)]
        waiting = [batch(1, priority=2, person=EVE, devices=4), batch(2, priority=0)]
        made = plan(queue(waiting, [host(1, busy=2)], low, terms=self.TERMS))
        assert (made.yields, made.placements) == ([], [])

    @pytest.mark.parametrize("state", [{"since": NOW - LEAST_RUN_SECONDS + 1}, {"had_waited": OVERDUE_SECONDS}])
    def test_who_has_just_begun_or_had_waited_for_long_is_not_asked(self, state):
        low = [running(7, priority=0, **state)]
        made = plan(queue([batch(1, priority=2, person=EVE)], [host(1, slots=1, busy=1)], low, terms=self.TERMS))
        assert made.yields == []

    def test_no_more_are_asked_than_are_needed(self):
        low = [running(number, priority=0) for number in range(4)]
        made = plan(queue([batch(11, 12, priority=2, person=EVE)], [host(1, busy=4)], low, terms=self.TERMS))
        assert len(made.yields) == 2


class TestGangs:
    GANG = ONE._replace(hosts=3, fewest_hosts=2)

    def test_all_ranks_at_once_each_on_a_worker_of_its_own(self):
        hosts = [host(1, slots=4), host(2, slots=4), host(3, slots=4)]
        made = plan(queue([batch(1, ask=self.GANG._replace(devices=2))], hosts))
        assert [(each.job_id, each.rank) for each in made.placements] == [(1, 0), (1, 1), (1, 2)]
        assert {each.worker_id for each in made.placements} == {1, 2, 3}
        assert {len(each.slots) for each in made.placements} == {2}

    def test_never_half_a_gang(self):
        hosts = [host(1), host(2), host(3, busy=4)]
        made = plan(queue([batch(1, ask=self.GANG), batch(2)], hosts, [running(9, 3, devices=4)]))
        assert placed(made) == [2]
        assert made.reasons == {0: WaitReason.PLACEMENT}

    def test_fewer_hosts_only_where_it_has_begun_and_others_lack(self):
        begun = self.GANG._replace(has_begun=True)
        two, three = [host(1), host(2)], [host(1), host(2), host(3)]
        assert plan(queue([batch(1, ask=self.GANG)], two)).reasons == {0: WaitReason.NO_WORKER}
        assert placed(plan(queue([batch(1, ask=begun)], two))) == [1, 1]
        assert placed(plan(queue([batch(1, ask=begun)], three))) == [1, 1, 1]
        assert placed(plan(queue([batch(1, ask=begun)], [host(1)]))) == []

    def test_fewer_hosts_need_more_memory_each(self):
        ask = self.GANG._replace(memory=16 * GIGABYTE, host_memory=GIGABYTE, has_begun=True)
        small, large = [host(number) for number in (1, 2)], [host(number, memory=40 * GIGABYTE) for number in (1, 2)]
        assert placed(plan(queue([batch(1, ask=ask)], [*small, host(3)]))) == [1, 1, 1]
        assert placed(plan(queue([batch(1, ask=ask._replace(memory=18 * GIGABYTE))], small))) == []
        assert placed(plan(queue([batch(1, ask=ask)], large))) == [1, 1]
        assert ask_of_each(ask, 2)[:4] == (1, "any", 24 * GIGABYTE, 1_500_000_000)

    def test_slots_of_one_worker_only_where_it_allows_that(self):
        one = host(1, slots=4)
        assert plan(queue([batch(1, ask=self.GANG)], [one])).reasons == {0: WaitReason.NO_WORKER}
        one = one._replace(offer=one.offer._replace(several_ranks=True))
        made = plan(queue([batch(1, ask=self.GANG)], [one]))
        assert [each.slots for each in made.placements] == [(0,), (1,), (2,)]
        made = plan(queue([batch(1, ask=self.GANG)], [one, host(2), host(3)]))
        assert {each.worker_id for each in made.placements} == {1, 2, 3}, "other workers are better"

    def test_room_of_several_workers_is_kept_until_the_last_of_them_has_some(self):
        gang = batch(1, ask=ONE._replace(devices=4, hosts=2), waited=RESERVE_AFTER_SECONDS, person=BOB)
        busy = [running(8, 2, devices=4, ends_in=1000.0, person=EVE)]
        batches = [gang, batch(2, expected=900.0), batch(3, expected=1100.0)]
        made = plan(queue(batches, [host(1), host(2, busy=4)], busy, used={ADA: 9e9}))
        assert placed(made) == [2]
        assert [(kept.job_id, kept.worker_id, kept.starts_at) for kept in made.reservations] == [
            (1, 1, NOW + 1000),
            (1, 2, NOW + 1000),
        ]
        assert made.reasons[2] == WaitReason.RESERVED

    def test_a_gang_is_asked_to_yield_as_a_whole_and_once(self):
        ranks = [running(7, worker, priority=0, rank=worker - 1, hosts=2) for worker in (1, 2)]
        full = [host(1, slots=1, busy=1), host(2, slots=1, busy=1)]
        made = plan(queue([batch(1, 2, priority=2, person=EVE)], full, ranks, terms=TestPreemption.TERMS))
        assert made.yields == [7]

    def test_it_counts_with_all_its_devices(self):
        terms = {1: Terms(max_running=2)}
        made = plan(queue([batch(1, ask=self.GANG)], [host(1), host(2), host(3)], terms=terms))
        assert made.reasons == {0: WaitReason.QUOTA}


asks = st.builds(
    Ask,
    devices=st.integers(1, 5),
    device=st.sampled_from(["any", "cpu", "gpu"]),
    memory=st.none() | st.integers(1, 90 * GIGABYTE),
    host_memory=st.none() | st.integers(1, 90 * GIGABYTE),
    labels=st.sampled_from([(), ("a100",)]),
    needs=st.sampled_from([(), (Needs("gymnasium", "td3", "pbt"),), (Needs("procgen", "ppo", "pbt"),)]),
    worker_id=st.none() | st.integers(1, 4),
    hosts=st.just(1),
    fewest_hosts=st.just(1),
    has_begun=st.just(False),
) | st.builds(
    Ask,
    devices=st.integers(1, 3),
    device=st.sampled_from(["any", "cpu"]),
    memory=st.none() | st.integers(1, 30 * GIGABYTE),
    host_memory=st.none() | st.integers(1, 30 * GIGABYTE),
    labels=st.just(()),
    needs=st.just(()),
    worker_id=st.none(),
    hosts=st.integers(2, 4),
    fewest_hosts=st.integers(1, 2),
    has_begun=st.booleans(),
)
people = st.sampled_from([ADA, BOB, EVE])


@st.composite
def queues(draw) -> Queue:
    hosts, busy, number = [], [], 1000
    for id in range(1, draw(st.integers(0, 5)) + 1):
        slots = draw(st.integers(1, 5))
        made = offer(
            slots,
            draw(st.sampled_from(["cpu", "gpu"])),
            draw(st.sampled_from([8, 24, 80])) * GIGABYTE,
            draw(st.sampled_from([(), ("a100",)])),
            draw(st.sampled_from([("gymnasium",), ("gymnasium", "procgen")])),
        )._replace(several_ranks=draw(st.booleans()))
        taken = draw(st.integers(0, slots))
        hosts.append(Host(id, made, tuple(range(taken, slots))))
        for _ in range(taken):
            number += 1
            ends_in = draw(st.none() | st.floats(-10, 10_000))
            job = running(number, id, 1, draw(people), draw(st.integers(0, 2)), ends_in, draw(st.booleans()))
            busy.append(job)
    batches, first = [], 1
    for _ in range(draw(st.integers(0, 8))):
        size = draw(st.integers(1, 4))
        batches.append(
            batch(
                *range(first, first + size),
                person=draw(people),
                priority=draw(st.integers(0, 2)),
                ask=draw(asks),
                expected=draw(st.none() | st.floats(1, 10_000)),
                waited=draw(st.floats(0, 4000)),
            )
        )
        first += size
    terms = {
        project: Terms(
            weight=draw(st.sampled_from([0.5, 1.0, 3.0])),
            max_running=draw(st.none() | st.integers(0, 6)),
            weekly_seconds=draw(st.sampled_from([None, 100.0])),
            used_seconds=draw(st.sampled_from([0.0, 200.0])),
            allows_preemption=draw(st.booleans()),
        )
        for project in (1, 2)
    }
    used = draw(st.dictionaries(people, st.floats(0, 1e6)))
    return queue(batches, hosts, busy, used, terms)


class TestAlways:
    @given(queues())
    @settings(max_examples=300, deadline=None)
    def test_no_slot_twice_and_only_free_ones(self, queue):
        free = {host.id: set(host.free) for host in queue.hosts}
        for placement in plan(queue).placements:
            assert len(set(placement.slots)) == len(placement.slots)
            assert set(placement.slots) <= free[placement.worker_id]
            free[placement.worker_id] -= set(placement.slots)

    @given(queues())
    @settings(max_examples=300, deadline=None)
    def test_never_onto_a_worker_that_lacks_something(self, queue):
        offers = {host.id: host.offer for host in queue.hosts}
        asked = {job_id: batch.ask for batch in queue.batches for _, job_id in batch.jobs}
        placements = plan(queue).placements
        hosts = Counter(placement.job_id for placement in placements)
        for placement in placements:
            ask = ask_of_each(asked[placement.job_id], hosts[placement.job_id])
            assert find_lacking(ask, offers[placement.worker_id]) is None
            assert len(placement.slots) == ask.devices
            assert ask.worker_id in (None, placement.worker_id)

    @given(queues())
    @settings(max_examples=300, deadline=None)
    def test_never_over_quota(self, queue):
        owners = {job_id: batch for batch in queue.batches for _, job_id in batch.jobs}
        devices = Counter()
        for job in queue.running:
            devices[job.person.project_id] += job.devices
        before = Counter(devices)
        for placement in plan(queue).placements:
            devices[owners[placement.job_id].person.project_id] += len(placement.slots)
        for project, terms in queue.terms.items():
            if devices[project] > before[project]:
                assert terms.max_running is None or devices[project] <= terms.max_running
                assert terms.weekly_seconds is None or terms.used_seconds < terms.weekly_seconds

    @given(queues())
    @settings(max_examples=300, deadline=None)
    def test_every_job_is_placed_once_or_has_a_reason(self, queue):
        made = plan(queue)
        jobs = [placement.job_id for placement in made.placements if placement.rank == 0]
        assert len(jobs) == len(set(jobs))
        for number, batch in enumerate(queue.batches):
            if any(job_id not in jobs for _, job_id in batch.jobs):
                assert number in made.reasons
        assert len(set(made.yields)) == len(made.yields)
        assert sorted(order(queue)) == sorted(job_id for batch in queue.batches for _, job_id in batch.jobs)

    @given(queues())
    @settings(max_examples=300, deadline=None)
    def test_never_half_a_gang(self, queue):
        asked = {job_id: batch.ask for batch in queue.batches for _, job_id in batch.jobs}
        offers = {host.id: host.offer for host in queue.hosts}
        made = plan(queue)
        for job_id, ranks in itertools.groupby(made.placements, lambda placement: placement.job_id):
            ranks = list(ranks)
            assert [placement.rank for placement in ranks] == list(range(len(ranks)))
            assert len(ranks) in hosts_to_try(asked[job_id])
            for worker_id, count in Counter(placement.worker_id for placement in ranks).items():
                assert count == 1 or offers[worker_id].several_ranks
        for job_id, kept in itertools.groupby(made.reservations, lambda reservation: reservation.job_id):
            assert len(list(kept)) <= asked[job_id].hosts

    @given(queues())
    @settings(max_examples=300, deadline=None)
    def test_no_job_waits_behind_a_lower_class_for_the_same_slots(self, queue):
        """Unless its quota or a reservation holds it back: what a lower one got would have done for it."""
        made = plan(queue)
        got = {placement.job_id: placement for placement in made.placements}
        offers = {host.id: host.offer for host in queue.hosts}
        batches = {job_id: batch for batch in queue.batches for _, job_id in batch.jobs}
        kept = {reservation.worker_id for reservation in made.reservations}
        for number, waiting in enumerate(queue.batches):
            if made.reasons.get(number) in (None, WaitReason.QUOTA) or waiting.ask.hosts > 1:
                continue
            for placement in got.values():
                lower = batches[placement.job_id]
                if lower.rank < waiting.rank and len(placement.slots) >= waiting.ask.devices:
                    is_possible = waiting.ask.worker_id in (None, placement.worker_id)
                    lacks = find_lacking(waiting.ask, offers[placement.worker_id])
                    assert lacks or not is_possible or placement.worker_id in kept

    @given(queues())
    @settings(max_examples=100, deadline=None)
    def test_the_same_queue_gives_the_same_plan(self, queue):
        assert plan(queue) == plan(queue)


class TestSimulation:
    """A queue that never empties, looked at again and again."""

    def run(self, waiting, hosts, seconds, lengths, arrivals, seed=0):
        """When each job started. `arrivals(now)` are new batches; ages count from their arrival."""
        chance, started, born = random.Random(seed), {}, {}
        now, active, used, served = NOW, {}, {}, {}
        taken: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        pending = dict(waiting)
        for job in pending:
            born[job] = now
        while now < NOW + seconds:
            for job, item in arrivals(now):
                pending[job], born[job] = item, now
            for job in [job for job, item in active.items() if item.ends_at <= now]:
                done = active.pop(job)
                taken.pop(job)
                used[done.person] = used.get(done.person, 0.0) + done.devices * (done.ends_at - done.since)
            occupied: dict[int, set[int]] = {}
            for worker_id, slots in taken.values():
                occupied.setdefault(worker_id, set()).update(slots)
            free = [
                each._replace(
                    free=tuple(slot for slot in range(each.offer.slots) if slot not in occupied.get(each.id, ()))
                )
                for each in hosts
            ]
            recent = {line for line, at in served.items() if now - at < PROMOTION_SECONDS}
            batches = promote([item._replace(queued_at=born[job]) for job, item in pending.items()], recent, now)
            made = plan(queue(batches, free, active.values(), used, now=now))
            for placement in made.placements:
                item, place = pending[placement.job_id], (placement.job_id, placement.rank)
                started[placement.job_id] = served[item.person, item.priority] = now
                length = lengths(chance) if placement.rank == 0 else active[placement.job_id, 0].ends_at - now
                active[place] = Running(
                    placement.job_id, item.person, item.priority, placement.worker_id, item.ask.devices, now,
                    now + length, False, rank=placement.rank, hosts=item.ask.hosts,
                )  # fmt: skip
                taken[place] = (placement.worker_id, placement.slots)
            for job_id in set(placed(made)):
                del pending[job_id]
            used = {person: fade(amount, 300, 86400) for person, amount in used.items()}
            now += 300
        return started

    def test_a_large_job_is_not_starved_by_small_ones(self):
        """Small jobs of another person are always there, and one slot or another is always busy."""
        number = iter(range(10, 10**6))

        def arrivals(now):
            return [(job, batch(job, person=BOB, expected=3600.0)) for job in (next(number), next(number))]

        large = {1: batch(1, devices=4, person=ADA)}
        started = self.run(large, [host(1)], 2 * 86400, lambda chance: chance.uniform(1800, 5400), arrivals)
        assert started[1] - NOW < 86400

    def test_a_gang_is_not_starved_by_small_ones(self):
        """Small jobs of another person keep all workers busy."""
        number = iter(range(10, 10**6))

        def arrivals(now):
            return [(job, batch(job, person=BOB, expected=3600.0)) for job in itertools.islice(number, 4)]

        gang = {1: batch(1, ask=ONE._replace(devices=2, hosts=3), person=ADA)}
        hosts = [host(1, slots=2), host(2, slots=2), host(3, slots=3)]
        started = self.run(gang, hosts, 2 * 86400, lambda chance: chance.uniform(1800, 5400), arrivals)
        assert started[1] - NOW < 86400

    def test_a_low_class_is_not_starved_by_a_higher_one(self):
        number = iter(range(10, 10**6))

        def arrivals(now):
            job = next(number)
            return [(job, batch(job, person=BOB, priority=2, expected=3600.0))]

        low = {1: batch(1, priority=0, person=ADA)}
        started = self.run(low, [host(1, slots=2)], 3 * 86400, lambda chance: 3600.0, arrivals)
        assert 1 in started


class TestAsk:
    def test_equal_asks_have_equal_texts(self):
        one, other = ONE._replace(labels=("b", "a")), ONE._replace(labels=("a", "b"))
        assert write(one) == write(other)
        assert read(write(one)).labels == ("a", "b")

    @given(asks)
    def test_there_and_back(self, ask):
        assert read(write(ask)) == ask

    def test_words(self):
        ask = Ask(2, "gpu", 80 * GIGABYTE, None, ("a100",), (), None)
        assert describe(ask) == "2 GPUs of 80 GB with label a100"
        assert describe(ask._replace(hosts=3)) == "3 hosts, each with 2 GPUs of 80 GB with label a100"

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"device": "gpu"}, "a GPU"),
            ({"labels": ("a100",)}, "the label a100"),
            ({"devices": 5}, "5 devices"),
            ({"memory": 20 * GIGABYTE, "host_memory": 5 * GIGABYTE}, "25 GB of memory"),
        ],
    )
    def test_what_is_lacking(self, changes, words):
        assert find_lacking(ONE._replace(**changes), offer(device="cpu")) == words


class TestShares:
    def test_use_fades_by_half(self):
        assert fade(100.0, 86400, 86400) == pytest.approx(50.0)
        assert fade(100.0, -5, 86400) == 100.0

    def test_use_accrues_as_if_charged_all_the_time(self):
        steps = 0.0
        for _ in range(10_000):
            steps = fade(steps, 10.0, 86400) + 2 * 10.0
        assert accrue(2, 100_000, 86400) == pytest.approx(steps, rel=1e-3)
