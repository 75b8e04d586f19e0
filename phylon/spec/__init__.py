"""The experiment spec: what a run is, in one versioned object.

Names are loaded when first used: the union of algorithms asks plug-ins, whose own modules import from this package.
"""

from typing import TYPE_CHECKING

from phylon.lazy_names import load_lazily

if TYPE_CHECKING:
    from phylon.spec.algorithms import AlgorithmSpec, DDPGSpec, MLPSpec, SACSpec, TD3Spec, hyperparameters, tuned
    from phylon.spec.distributions import Choice, Distribution, IntUniform, LogUniform, Uniform, bounds, scale
    from phylon.spec.experiment import ExperimentSpec, replicate_seed
    from phylon.spec.explore import PerturbExplore, ResampleExplore
    from phylon.spec.group import (
        Document,
        Group,
        GroupSpec,
        ResolvedDocument,
        expand_document,
        group_to_yaml,
        parse_document,
        parse_group,
        resolve_document,
    )
    from phylon.spec.methods.independent import IndependentSpec
    from phylon.spec.methods.pbt import PBTSpec
    from phylon.spec.problems import Note, Problem, SpecInvalid
    from phylon.spec.reading import read_yaml, to_yaml
    from phylon.spec.resolve import Resolved, parse_accepted, parse_spec, parse_yaml, spec_to_json, spec_to_yaml
    from phylon.spec.runtime_study import RuntimeStudySpec, StudyCell, parse_study, study_to_yaml
    from phylon.spec.segments import segment_steps
    from phylon.spec.selection import TruncationSelection

__all__ = [
    "AlgorithmSpec",
    "Choice",
    "DDPGSpec",
    "Distribution",
    "Document",
    "ExperimentSpec",
    "Group",
    "GroupSpec",
    "IndependentSpec",
    "IntUniform",
    "LogUniform",
    "MLPSpec",
    "Note",
    "PBTSpec",
    "PerturbExplore",
    "Problem",
    "ResampleExplore",
    "Resolved",
    "ResolvedDocument",
    "RuntimeStudySpec",
    "SACSpec",
    "SpecInvalid",
    "StudyCell",
    "TD3Spec",
    "TruncationSelection",
    "Uniform",
    "bounds",
    "expand_document",
    "group_to_yaml",
    "hyperparameters",
    "parse_accepted",
    "parse_document",
    "parse_group",
    "parse_spec",
    "parse_study",
    "parse_yaml",
    "read_yaml",
    "replicate_seed",
    "resolve_document",
    "scale",
    "segment_steps",
    "spec_to_json",
    "spec_to_yaml",
    "study_to_yaml",
    "to_yaml",
    "tuned",
]

__getattr__ = load_lazily(
    __name__,
    {
        "algorithms": ("AlgorithmSpec", "DDPGSpec", "MLPSpec", "SACSpec", "TD3Spec", "hyperparameters", "tuned"),
        "distributions": ("Choice", "Distribution", "IntUniform", "LogUniform", "Uniform", "bounds", "scale"),
        "experiment": ("ExperimentSpec", "replicate_seed"),
        "explore": ("PerturbExplore", "ResampleExplore"),
        "group": (
            "Document",
            "Group",
            "GroupSpec",
            "ResolvedDocument",
            "expand_document",
            "group_to_yaml",
            "parse_document",
            "parse_group",
            "resolve_document",
        ),
        "methods.independent": ("IndependentSpec",),
        "methods.pbt": ("PBTSpec",),
        "problems": ("Note", "Problem", "SpecInvalid"),
        "reading": ("read_yaml", "to_yaml"),
        "resolve": ("Resolved", "parse_accepted", "parse_spec", "parse_yaml", "spec_to_json", "spec_to_yaml"),
        "runtime_study": ("RuntimeStudySpec", "StudyCell", "parse_study", "study_to_yaml"),
        "segments": ("segment_steps",),
        "selection": ("TruncationSelection",),
    },
)
