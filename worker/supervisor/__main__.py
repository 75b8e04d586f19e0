"""`python -m phylon.worker.supervisor`: a worker of this machine, until SIGTERM or Ctrl-C."""

import argparse
import os
import re
import sys

from phylon.contract.protocol import LABEL_PATTERN, WorkerRegistration, queue_name
from phylon.worker.core import logging
from phylon.worker.supervisor.activity import Activity
from phylon.worker.supervisor.app import create_app, run_worker
from phylon.worker.supervisor.credentials import AlreadyRunning, CredentialMissing, hold_credential, this_machine
from phylon.worker.supervisor.device import DeviceMissing, describe_worker
from phylon.worker.supervisor.environments import ModuleUnusable, allow
from phylon.worker.supervisor.guard import DeviceGuard
from phylon.worker.supervisor.liveness import StalledConsumerDetector, alive_file, restart_worker
from phylon.worker.supervisor.presence import Presence
from phylon.worker.supervisor.service import AttemptRefused, RequestRefused, Service
from phylon.worker.supervisor.settings import SettingInvalid, Settings, from_environment
from phylon.worker.supervisor.supervise import Supervisor
from phylon.worker.supervisor.sweep import FolderSweeper

USAGE_ERROR = 2
GRACE_SECONDS = 90.0


def main(arguments: list[str] | None = None) -> int:
    options = _parse(arguments)
    logging.configure()
    given = {} if options.enrol is None else {"PHYLON_ENROLMENT_CODE": options.enrol}
    try:
        settings = from_environment(os.environ | given)
        found = describe_worker(options.name, options.device, options.slots, options.labels, options.several_ranks)
        registration = found.model_copy(update={"machine": this_machine(), "environments": allow(options.allow)})
        with hold_credential(settings, registration) as credential:
            return _work(settings, registration, credential, options.grace)
    except (SettingInvalid, DeviceMissing, CredentialMissing, AlreadyRunning, ModuleUnusable) as error:
        print(error, file=sys.stderr)
    except (RequestRefused, AttemptRefused) as error:
        print(f"the service refuses this worker: {error}", file=sys.stderr)
    return USAGE_ERROR


def _work(settings: Settings, registration: WorkerRegistration, credential: str, grace_seconds: float) -> int:
    activity = Activity(grace_seconds)
    service = Service(settings.api_url, credential)
    guard = DeviceGuard(
        registration.device, registration.slots, lambda fault: service.report_fault(presence.worker_id(), fault)
    )

    def after_beat() -> None:
        alive_file(registration.name).touch()
        if detector.is_stalled(is_busy=bool(activity.jobs)):
            restart_worker("messages wait but this worker takes none")

    def forgotten() -> None:
        if not activity.jobs:
            restart_worker("the service does not know this worker any more")

    presence = Presence(service, registration.model_copy(update={"fault": guard.fault}), after_beat, forgotten)
    presence.register()
    queue = queue_name(presence.worker_id())
    detector = StalledConsumerDetector(settings.redis_url, queue)
    supervisor = Supervisor(
        service=service,
        folders=settings.runs,
        device=registration.device,
        slots=registration.slots,
        worker_id=presence.worker_id,
        guard=guard,
        activity=activity,
        least_free_bytes=settings.least_free_bytes,
    )
    sweeper = FolderSweeper(service, settings.runs)
    app = create_app(settings.redis_url, supervisor, activity)
    presence.start()
    guard.start()
    sweeper.start()
    try:
        return run_worker(app, queue, registration.slots, activity)
    finally:
        sweeper.end()
        guard.end()
        presence.end()
        service.close()


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m phylon.worker.supervisor", description="Take jobs and execute them here."
    )
    parser.add_argument("--device", choices=["cpu", "gpu"], help="default: gpu when there is one")
    parser.add_argument("--name", help="how the worker is listed; default: this machine's name and the kind of device")
    parser.add_argument(
        "--enrol", metavar="CODE", help="become a worker of the service (default: PHYLON_ENROLMENT_CODE)"
    )
    parser.add_argument("--slots", type=int, help="jobs side by side on CPUs, each with its share of the cores")
    parser.add_argument(
        "--several-ranks", action="store_true", help="be several hosts of one run, each on slots of its own"
    )
    parser.add_argument("--labels", type=_labels, default=[], help="what jobs may ask for, separated by commas")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="MODULE",
        help="jobs may import it for an environment of its own",
    )
    parser.add_argument(
        "--grace", type=float, default=GRACE_SECONDS, help="seconds after SIGTERM in which all jobs are given back"
    )
    options = parser.parse_args(arguments)
    if options.slots is not None and options.slots < 1:
        parser.error(f"--slots {options.slots}: a worker needs at least one")
    if not options.grace > 0:
        parser.error(f"--grace {options.grace:g}: give the jobs more than 0 seconds")
    return options


def _labels(text: str) -> list[str]:
    labels = [label.strip() for label in text.split(",") if label.strip()]
    for label in labels:
        if not re.fullmatch(LABEL_PATTERN, label):
            raise argparse.ArgumentTypeError(f"{label!r} is no label; use up to 50 of a-z, 0-9, '.', '_', '-'")
    return labels


if __name__ == "__main__":
    sys.exit(main())
