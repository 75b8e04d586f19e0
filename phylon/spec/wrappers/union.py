"""The wrappers that a spec may name: all that are installed, plug-ins among them."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Discriminator

if TYPE_CHECKING:
    from phylon.spec.wrappers.observations import FlattenSpec, FrameStackSpec, GreyAndResizeSpec
    from phylon.spec.wrappers.rewards import ClipRewardSpec, ScaleRewardSpec
    from phylon.spec.wrappers.time import ActionRepeatSpec, StickyActionsSpec, TimeLimitSpec

    WrapperSpec = Annotated[
        ScaleRewardSpec
        | ClipRewardSpec
        | ActionRepeatSpec
        | StickyActionsSpec
        | TimeLimitSpec
        | FrameStackSpec
        | GreyAndResizeSpec
        | FlattenSpec,
        Discriminator("name"),
    ]
else:
    from phylon.registry import wrappers
    from phylon.spec.registered import union_of

    WrapperSpec = union_of(wrappers(), "environment.wrappers")
