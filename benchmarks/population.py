"""Which methods pay beside their controls, and what those achieve that train a population as one.

The comparison takes hours on two cores; it goes on where it was interrupted.
"""

from benchmarks import diversity, method_comparison, report, weight_search


def main() -> None:
    apart = report.table(["policies learn by", "distance", "closest pair", "reward"], diversity.rows())
    search = report.table(
        ["task", "joint steps", "policy", "final return, by seed", "mean against TD3"], weight_search.rows()
    )
    best, least = 1 + diversity.TILT * diversity.RADIUS, 1 - diversity.TILT * diversity.RADIUS
    ratios = " and ".join(f"{task.ratio:g} on {task.id}" for task in weight_search.TASKS)
    report.write(
        "population",
        f"""# Population methods

Written by `python -m benchmarks.population`. {report.machine()}.

## Which methods pay

Each method beside its controls at equal steps of the whole population. A score is the final return of a run: of the
member that its own selection put first, on episodes that no selection saw. Methods tune what the algorithm's
description recommends; random search draws from the same ranges. The defaults are those of the algorithm: once as the
best of eight seeds, once as the mean of the eight, and once as a single agent that has all the steps to itself.

{method_comparison.text()}

## DvD keeps policies apart

An episode is one step, and its reward about 1 on a ring of actions in [-1, 1]²: {best:.2f} at one end of it,
{least:.2f} at the other, and less beside it. Five policies and one critic learn from the same uniform actions,
{diversity.UPDATES:,} updates. One number per seed; distances are between the actions of two policies, averaged over
states.

{apart}

## CEM-RL beside TD3

Equal steps of all members together, equal updates for each such step ({ratios}),
the same networks (two layers of 64) and learning rates. CEM-RL has {weight_search.MEMBERS} members, half of them
trained: its update moves five policies and one critic on five batches, so it costs more. It also looks at
{weight_search.EPISODES} noiseless episodes of each member before each draw, which are not counted as steps; TD3 learns
nothing from evaluations. Returns are of 50 episodes after training that no selection saw. The winner is the member with
the best last evaluation; the mean policy is what the search answers with.

{search}
""",
    )


if __name__ == "__main__":
    main()
