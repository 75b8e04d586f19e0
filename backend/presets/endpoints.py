"""Ready-made experiments."""

from fastapi import APIRouter

from backend.presets import service
from backend.presets.schemas import PresetRead

router = APIRouter(prefix="/presets", tags=["presets"])


@router.get("")
def list_presets() -> list[PresetRead]:
    return service.list_all()
