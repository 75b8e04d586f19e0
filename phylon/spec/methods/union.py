"""The population methods that a spec may name: all that are installed, plug-ins among them."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Discriminator

if TYPE_CHECKING:
    from phylon.spec.methods.bg_pbt import BGPBTSpec
    from phylon.spec.methods.cem_rl import CEMRLSpec
    from phylon.spec.methods.dvd import DvDSpec
    from phylon.spec.methods.gpbt_pl import GPBTPLSpec
    from phylon.spec.methods.independent import IndependentSpec, RandomSearchSpec
    from phylon.spec.methods.ipbt import IPBTSpec
    from phylon.spec.methods.mf_pbt import MFPBTSpec
    from phylon.spec.methods.pb2 import (
        PB2FixedSpec,
        PB2IndepSpec,
        PB2MixSpec,
        PB2MultSpec,
        PB2RandSpec,
        PB2Spec,
    )
    from phylon.spec.methods.pbt import NoOpSpec, PBTSpec
    from phylon.spec.schedule_method import ScheduleSpec

    MethodSpec = Annotated[
        PBTSpec
        | GPBTPLSpec
        | IPBTSpec
        | MFPBTSpec
        | PB2Spec
        | PB2RandSpec
        | PB2FixedSpec
        | PB2IndepSpec
        | PB2MultSpec
        | PB2MixSpec
        | BGPBTSpec
        | CEMRLSpec
        | DvDSpec
        | NoOpSpec
        | IndependentSpec
        | RandomSearchSpec
        | ScheduleSpec,
        Discriminator("name"),
    ]
else:
    from phylon.registry import methods
    from phylon.spec.registered import union_of

    MethodSpec = union_of(methods(), "population.method")
