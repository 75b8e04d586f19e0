"""Memory that lasts as long as the process."""

import gc


def set_aside() -> None:
    """What has been loaded so far is never looked through for garbage again.

    Python would do so now and then, and with all modules of the service that takes several times as long as a tick of
    the scheduler, which makes enough new objects to set it off.
    """
    gc.collect()
    gc.freeze()
