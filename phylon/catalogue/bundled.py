"""The environment suites that we bring an adapter for."""

from phylon.registry.descriptions import FamilyDescription, SuiteDescription

GYMNASIUM = SuiteDescription(
    name="gymnasium",
    title="Gymnasium",
    summary="Classic control, Box2D, toy text and MuJoCo, stepped in the trainer or in processes.",
    adapter="phylon.worker.environments.gymnasium_suite",
    install="phylon[worker]",
    distributions=("gymnasium",),
    catalogue=("phylon.catalogue", "gymnasium.json"),
    has_stepping=True,
    has_options=True,
    is_usual=True,
)

ENVPOOL = SuiteDescription(
    name="envpool",
    title="EnvPool",
    summary="MuJoCo, dm_control, Atari and Procgen in C++ threads.",
    adapter="phylon.worker.environments.envpool_suite",
    install="phylon[suites]",
    distributions=("envpool",),
    catalogue=("phylon.catalogue", "envpool.json"),
    families={
        "atari": FamilyDescription(options="atari", frame_stack=4, is_policy_sampled=True, epsilon=0.05),
        "procgen": FamilyDescription(options="procgen", has_levels=True, is_policy_sampled=True),
        "gfootball": FamilyDescription(is_renderable=False),
        "toy_text": FamilyDescription(is_renderable=False),
    },
)

GYMNAX = SuiteDescription(
    name="gymnax",
    title="gymnax",
    summary="Classic control, bsuite and MinAtar as JAX functions on the device.",
    adapter="phylon.worker.environments.gymnax_suite",
    install="phylon[suites]",
    distributions=("gymnax",),
    catalogue=("phylon.catalogue", "gymnax.json"),
    is_renderable=False,
    is_functional=True,
)

MJX = SuiteDescription(
    name="mjx",
    title="MuJoCo MJX",
    summary="Gymnasium's MuJoCo tasks as JAX functions on the device.",
    adapter="phylon.worker.environments.mjx_suite",
    install="phylon[suites]",
    distributions=("mujoco-mjx", "mujoco", "gymnasium"),
    catalogue=("phylon.catalogue", "mjx.json"),
    is_functional=True,
)

PLAYGROUND = SuiteDescription(
    name="playground",
    title="MuJoCo Playground",
    summary="DeepMind's control suite on MJX, as JAX functions on the device.",
    adapter="phylon.worker.environments.playground_suite",
    install="phylon[playground]",
    distributions=("playground", "mujoco-mjx", "mujoco"),
    catalogue=("phylon.catalogue", "playground.json"),
    is_functional=True,
)

BRAX = SuiteDescription(
    name="brax",
    title="Brax",
    summary="Brax's own locomotion tasks, as JAX functions on the device.",
    adapter="phylon.worker.environments.brax_suite",
    install="phylon[brax]",
    distributions=("brax",),
    catalogue=("phylon.catalogue", "brax.json"),
    is_functional=True,
)

PROBE = SuiteDescription(
    name="probe",
    title="Probes",
    summary="Environments whose values are known by heart, for testing an algorithm.",
    adapter="phylon.worker.environments.probe",
    install="phylon[worker]",
    distributions=("phylon",),
    catalogue=("phylon.catalogue", "probe.json"),
    is_renderable=False,
)

TOY = SuiteDescription(
    name="toy",
    title="Toys",
    summary="Problems with known answers for testing a population method.",
    adapter="phylon.worker.environments.toy",
    install="phylon[worker]",
    distributions=("phylon",),
    catalogue=("phylon.catalogue", "toy.json"),
    is_renderable=False,
)
