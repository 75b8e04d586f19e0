"""`python -m phylon.worker.supervisor`: a worker of this machine, until SIGTERM or Ctrl-C."""

import argparse
import logging
import sys

from phylon.contract.protocol import queue_name
from phylon.worker.supervisor.app import Activity, create_app, run_worker
from phylon.worker.supervisor.device import DeviceMissing, describe_worker
from phylon.worker.supervisor.liveness import StalledConsumerDetector, alive_file, restart_worker
from phylon.worker.supervisor.presence import Presence
from phylon.worker.supervisor.service import RequestRefused, Service
from phylon.worker.supervisor.settings import SettingMissing, from_environment
from phylon.worker.supervisor.supervise import Supervisor

USAGE_ERROR = 2


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m phylon.worker.supervisor", description="Take jobs and execute them here."
    )
    parser.add_argument("--device", choices=["cpu", "gpu"], help="default: gpu when there is one")
    parser.add_argument("--name", help="how the worker is listed; default: this machine's name and the kind of device")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        settings = from_environment()
        registration = describe_worker(options.name, options.device)
    except (SettingMissing, DeviceMissing) as error:
        print(error, file=sys.stderr)
        return USAGE_ERROR

    activity = Activity()
    detector = StalledConsumerDetector(settings.redis_url, queue_name(registration.device))

    def after_beat() -> None:
        alive_file(registration.name).touch()
        if detector.is_stalled(activity.is_busy):
            restart_worker()

    service = Service(settings.api_url, settings.token)
    presence = Presence(service, registration, after_beat)
    supervisor = Supervisor(
        service=service,
        folders=settings.runs,
        device=registration.device,
        worker_id=presence.worker_id,
        is_leaving=lambda: activity.is_leaving,
    )
    app = create_app(settings.redis_url, supervisor, activity)
    try:
        presence.register()
    except RequestRefused as error:
        print(f"the service refuses this worker: {error}; check PHYLON_WORKER_TOKEN", file=sys.stderr)
        return USAGE_ERROR
    presence.start()
    try:
        return run_worker(app, registration.device, activity)
    finally:
        presence.end()
        service.close()


if __name__ == "__main__":
    sys.exit(main())
