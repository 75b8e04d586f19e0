"""Ready-made experiments."""

from fastapi import APIRouter

from phylon import presets
from phylon.presets import Preset

router = APIRouter(prefix="/presets", tags=["presets"])


@router.get("")
def list_presets() -> list[Preset]:
    return list(presets.list_presets())
