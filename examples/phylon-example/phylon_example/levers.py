"""The suite as specs see it."""

from phylon.registry.descriptions import SuiteDescription

LEVERS = SuiteDescription(
    name="levers",
    title="Levers",
    summary="An observation says which lever pays.",
    adapter="phylon_example.levers_adapter",
    install="phylon-example",
    distributions=("phylon-example",),
    catalogue=("phylon_example", "levers.json"),
    is_renderable=False,
)
