"""Webhooks: stored with what happened, signed, sent again until they arrive, and never to where they must not go."""

import base64
import contextlib
import dataclasses
import hashlib
import hmac
import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.dependencies import get_viewer
from phylon.backend.kit import clock
from phylon.backend.models import WebhookDelivery
from phylon.backend.webhooks import sender as sending
from phylon.backend.webhooks.addresses import is_public
from phylon.backend.webhooks.emit import emit
from phylon.backend.webhooks.sender import Sender, pause_after
from phylon.contract.vocabulary import Role
from phylon.contract.webhooks import WebhookEvent

from .receiver import receiving

DATABASES = ("sqlite",)
"""What is sent does not depend on the database."""

ROOT = Path(__file__).parents[2]
ALL = [event.value for event in WebhookEvent]


@pytest.fixture
def settings(settings):
    return dataclasses.replace(settings, webhook_allow_private=True)


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def sender(context):
    return Sender(context)


@pytest.fixture
def webhook(client, receiver):
    """As its creation answered, so with its secret."""
    answer = client.post("/api/v1/webhooks", json={"url": receiver.url, "events": ALL})
    assert answer.status_code == 201, answer.text
    return answer.json()


def make_due(context: Context) -> None:
    """As if its time had come."""
    with context.database.write() as session:
        session.execute(
            update(WebhookDelivery)
            .where(WebhookDelivery.next_try_at.is_not(None))
            .values(next_try_at=clock.now() - timedelta(seconds=1))
        )


def deliveries(client, webhook) -> list[dict]:
    return client.get(f"/api/v1/webhooks/{webhook['id']}/deliveries").json()["items"]


def events_of(receiver) -> list[str]:
    return [json.loads(each.body)["type"] for each in receiver.received]


class TestWhatIsSent:
    def test_a_run_that_finishes(self, client, worker, run_id, webhook, sender, receiver):
        attempt = worker.take(run_id)
        outcome = {
            **{"kind": "finished", "seq": 0, "step": 2000, "wall": 3.0, "best_member": 1, "fitness": -3.5},
            **{"reason": "budget", "final": None},
        }
        answer = worker.report(run_id, attempt, [outcome])
        assert answer.status_code == 200, answer.text
        assert sender.send_due() == 1
        [got] = receiver.received
        body = json.loads(got.body)
        assert (body["type"], body["data"]["run_id"], body["data"]["status"]) == ("run.finished", run_id, "finished")
        assert "finished" in body["data"]["summary"]
        worker.report(run_id, attempt, [outcome])
        assert sender.send_due() == 0, "an outcome that is reported twice is one"

    def test_a_run_that_is_stopped_while_it_waits(self, client, run_id, webhook, sender, receiver):
        client.post(f"/api/v1/runs/{run_id}/stop")
        sender.send_due()
        assert events_of(receiver) == ["run.stopped"]

    def test_a_run_that_keeps_breaking(self, worker, run_id, webhook, sender, receiver, context):
        for _ in range(context.settings.max_attempts):
            worker.release(run_id, worker.take(run_id))
        sender.send_due()
        assert events_of(receiver) == ["run.failed"]
        assert "exit code -9" in json.loads(receiver.received[0].body)["data"]["error"]

    def test_a_lost_worker(self, worker, run_id, webhook, sender, receiver, context, scheduler):
        worker.take(run_id)
        with context.database.write() as session:
            from phylon.backend.models import Job

            session.execute(update(Job).values(lease_expires_at=clock.now() - timedelta(seconds=1)))
        scheduler.tick()
        sender.send_due()
        assert events_of(receiver) == ["worker.lost"]
        assert json.loads(receiver.received[0].body)["data"]["worker"] == "first"

    def test_a_diverged_member(self, worker, run_id, webhook, sender, receiver):
        attempt = worker.take(run_id)
        diverged = {
            **{"kind": "diverged", "seq": 0, "step": 100, "wall": 1.0, "member": 2, "span": 0},
            **{"metric": "critic_loss", "value": "NaN", "hyperparams": {}},
        }
        answer = worker.report(run_id, attempt, [diverged])
        assert answer.status_code == 200, answer.text
        sender.send_due()
        assert events_of(receiver) == ["run.member_diverged"]

    def test_only_what_it_is_called_for_and_only_of_its_project(self, client, run_id, receiver, sender):
        body = {"url": receiver.url, "events": ["run.failed"]}
        client.post("/api/v1/webhooks", json=body)
        client.post(f"/api/v1/runs/{run_id}/stop")
        assert sender.send_due() == 0

    def test_of_a_change_that_fails_nothing_is_heard(self, context, webhook, sender):
        with contextlib.suppress(ZeroDivisionError), context.database.write() as session:
            emit(session, 1, WebhookEvent.RUN_FAILED, {"summary": "never happened"})
            raise ZeroDivisionError
        assert sender.send_due() == 0

    def test_slack_gets_a_text_that_calls_nobody(self, client, context, receiver, sender):
        client.post("/api/v1/webhooks", json={"url": receiver.url, "events": ALL, "format": "slack"})
        with context.database.write() as session:
            emit(session, None, WebhookEvent.WORKER_QUARANTINED, {"summary": "<!channel> a & b", "ratio": float("nan")})
        sender.send_due()
        assert json.loads(receiver.received[0].body) == {"text": "&lt;!channel&gt; a &amp; b"}

    def test_a_disabled_one_is_not_called(self, client, run_id, webhook, sender):
        answer = client.patch(f"/api/v1/webhooks/{webhook['id']}", json={"enabled": False})
        assert answer.json()["enabled"] is False
        client.post(f"/api/v1/runs/{run_id}/stop")
        assert sender.send_due() == 0

    def test_the_signature_is_that_of_standard_webhooks(self, client, webhook, sender, receiver):
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        sender.send_due()
        [got] = receiver.received
        key = base64.b64decode(webhook["secret"].removeprefix("whsec_"))
        signed = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode() + got.body
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        assert got.headers["webhook-signature"] == f"v1,{expected}"
        assert abs(int(got.headers["webhook-timestamp"]) - clock.now().timestamp()) < 300


class TestDelivery:
    def test_it_is_sent_again_until_it_arrives_under_the_same_id(self, client, context, webhook, sender, receiver):
        receiver.statuses = [500, 302, 404]
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        for _ in range(4):
            make_due(context)
            assert sender.send_due() == 1
        make_due(context)
        assert sender.send_due() == 0
        assert len({(each.headers["webhook-id"], each.body) for each in receiver.received}) == 1
        assert len(receiver.received) == 4, "a redirect is not followed"
        [delivery] = deliveries(client, webhook)
        assert (delivery["tries"], delivery["last_status"], delivery["last_error"]) == (4, 204, None)
        assert delivery["delivered_at"] is not None and delivery["next_try_at"] is None

    def test_after_a_day_it_is_given_up(self, client, context, webhook, sender, receiver):
        receiver.statuses = [503]
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        with context.database.write() as session:
            session.execute(update(WebhookDelivery).values(created_at=clock.now() - timedelta(days=1)))
        sender.send_due()
        [delivery] = deliveries(client, webhook)
        assert delivery["dead_at"] is not None and delivery["next_try_at"] is None
        assert delivery["last_error"] == "answered 503"

    def test_pauses_grow_and_the_day_has_enough_of_them(self):
        pauses = [pause_after(tries) for tries in range(1, 30)]
        assert pauses == sorted(pauses) and pauses[-1] == sending.LONGEST_PAUSE
        assert sum(pauses[:18], timedelta()) < sending.PATIENCE

    def test_a_receiver_that_is_not_there(self, client, context, webhook, sender):
        client.patch(f"/api/v1/webhooks/{webhook['id']}", json={"url": "http://127.0.0.1:1/"})
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        sender.send_due()
        [delivery] = deliveries(client, webhook)
        assert delivery["last_status"] is None and "ConnectError" in delivery["last_error"]
        assert delivery["next_try_at"] is not None

    def test_two_senders_do_not_send_the_same(self, client, context, webhook, sender, receiver):
        """The second looks while the first waits for its answer."""
        seen: list[int] = []
        receiver.before_answer = lambda: seen.append(Sender(context).send_due())
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        sender.send_due()
        assert seen == [0] and len(receiver.received) == 1

    def test_a_sender_killed_between_send_and_mark(self, client, context, webhook, sender, receiver):
        code = (
            "import sys\n"
            "from pathlib import Path\n"
            "from phylon.backend.app import create_app\n"
            "from phylon.backend.settings import Settings\n"
            "from phylon.backend.webhooks.sender import Sender\n"
            "url, redis, folder = sys.argv[1:]\n"
            "paths = {'database_url': url, 'redis_url': redis, 'artifacts': Path(folder)}\n"
            "settings = Settings(**paths, webhook_allow_private=True)\n"
            "Sender(create_app(settings).state.context).send_due()\n"
        )
        kept = context.settings
        arguments = [kept.database_url, kept.redis_url, str(kept.artifacts)]
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        process = subprocess.Popen([sys.executable, "-c", code, *arguments], cwd=ROOT)
        receiver.before_answer = lambda: os.kill(process.pid, signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
        receiver.before_answer = lambda: None
        [delivery] = deliveries(client, webhook)
        assert delivery["delivered_at"] is None and delivery["next_try_at"] is not None
        assert sender.send_due() == 0, "it is still the dead one's"
        make_due(context)
        sender.send_due()
        first, second = receiver.received
        assert first.headers["webhook-id"] == second.headers["webhook-id"] and first.body == second.body
        assert deliveries(client, webhook)[0]["delivered_at"] is not None

    def test_the_service_sends_by_itself(self, server, client, webhook, receiver, wait_for):
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        wait_for(lambda: receiver.received, "the message to arrive")


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        [
            *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
            *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1"),
            *("64:ff9b::7f00:1", "2002:7f00:1::"),
        ],
    )
    def test_of_this_machine_and_its_network(self, address):
        assert not is_public(address)

    @pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])
    def test_of_the_internet(self, address):
        assert is_public(address)


class TestPrivateAddresses:
    @pytest.fixture
    def settings(self, settings):
        return dataclasses.replace(settings, webhook_allow_private=False)

    def test_are_refused_at_creation(self, client, receiver):
        for url in (receiver.url, "http://localhost:1/", "http://[::1]/", "http://2130706433/"):
            answer = client.post("/api/v1/webhooks", json={"url": url, "events": ALL})
            assert answer.status_code == 422, url
            assert answer.json()["type"] == "/problems/address-refused"

    def test_are_refused_at_sending_whatever_was_stored(self, client, context, receiver, sender):
        from phylon.backend.models import Webhook

        with context.database.write() as session:
            fields = {"project_id": 1, "secret": "whsec_AAAA", "events": ALL, "format": "json", "enabled": True}
            session.add(Webhook(url=receiver.url, created_at=clock.now(), **fields))
            session.flush()
            emit(session, 1, WebhookEvent.RUN_FAILED, {"summary": "x"})
        sender.send_due()
        assert receiver.received == []
        assert "AddressRefused" in deliveries(client, {"id": 1})[0]["last_error"]


class TestRights:
    def test_the_secret_is_shown_once(self, client, webhook):
        [listed] = client.get("/api/v1/webhooks").json()["items"]
        assert webhook["secret"].startswith("whsec_") and "secret" not in listed

    @pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER, None])
    def test_only_admins_of_the_project(self, app, client, webhook, role):
        viewer = Viewer(2, "other", is_admin=False, roles={} if role is None else {1: role})
        app.dependency_overrides[get_viewer] = lambda: viewer
        path = f"/api/v1/webhooks/{webhook['id']}"
        assert client.get("/api/v1/webhooks").json()["items"] == []
        body = {"url": webhook["url"], "events": ALL}
        answers = [
            client.post("/api/v1/webhooks", json=body),
            client.patch(path, json={"enabled": False}),
            client.post(f"{path}/test"),
            client.get(f"{path}/deliveries"),
            client.delete(path),
        ]
        assert {answer.status_code for answer in answers} == {404}

    def test_deleting_one_forgets_its_outbox(self, client, webhook, sender):
        client.post(f"/api/v1/webhooks/{webhook['id']}/test")
        assert client.delete(f"/api/v1/webhooks/{webhook['id']}").status_code == 204
        assert sender.send_due() == 0

    def test_what_is_no_address(self, client):
        wrong = ["ftp://example.org/", "example.org", "http://", "http://user:secret@example.org/"]
        wrong += ["http://example.org:port/", "http://example.org:70000/", "http://[::1/"]
        answers = {url: client.post("/api/v1/webhooks", json={"url": url, "events": ALL}) for url in wrong}
        assert {url: answer.status_code for url, answer in answers.items()} == dict.fromkeys(wrong, 422)
