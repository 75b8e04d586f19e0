from backend.kit.errors import Invalid


class UploadDamaged(Invalid):
    """The bytes that arrived do not have the announced hash; nothing was stored."""
