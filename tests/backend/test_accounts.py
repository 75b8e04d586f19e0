"""Accounts: how people come in, how they prove who they are, and what ends it."""

import dataclasses
import json
import logging
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update
from sqlalchemy.exc import DatabaseError

from phylon.backend.accounts import passwords, secret, throttle
from phylon.backend.accounts.authentication import ABSOLUTE, IDLE, viewer_of
from phylon.backend.accounts.first_admin import offer_first_admin
from phylon.backend.accounts.service import first_admin_link
from phylon.backend.accounts.viewer import ALL_SCOPES
from phylon.backend.app import create_app
from phylon.backend.events.stream import _look_at
from phylon.backend.kit import clock
from phylon.backend.models import OneTimeCode, Run, SignIn, SignInFailures, Token, User
from phylon.backend.settings import SettingInvalid, from_environment
from phylon.contract.vocabulary import Scope

from .team import PASSWORD, PUBLIC_URL

DATABASES = ("postgres",)
"""Teams run on it."""

ORIGIN = {"Origin": PUBLIC_URL}
ME = "/api/v1/accounts/me"


@pytest.fixture
def empty(settings):
    """A service with accounts that nobody has."""
    app = create_app(dataclasses.replace(settings, public_url=PUBLIC_URL))
    yield TestClient(app, base_url=PUBLIC_URL, headers=ORIGIN)
    app.state.context.doorbell.close()
    app.state.context.database.dispose()


def set_times(team, model, **columns):
    with team.context.database.write() as session:
        session.execute(update(model).values(**columns))


class TestFirstAdmin:
    def body(self, link, **changes):
        code = link.partition("#code=")[2]
        return {"code": code, "email": "Ada@Example.org", "name": "Ada", "password": PASSWORD} | changes

    def link(self, client):
        with client.app.state.context.database.write() as session:
            return first_admin_link(session, PUBLIC_URL)

    def test_a_link_makes_one_and_signs_in(self, empty):
        link = self.link(empty)
        assert link.startswith(f"{PUBLIC_URL}/first-admin#code=")
        made = empty.post("/api/v1/accounts/first-admin", json=self.body(link))
        assert made.status_code == 201, made.text
        me = empty.get(ME).json()
        assert (me["email"], me["is_admin"], me["has_accounts"]) == ("ada@example.org", True, True)
        assert [(project["name"], project["role"]) for project in me["projects"]] == [("default", "admin")]
        assert self.link(empty) is None
        empty.cookies.clear()
        again = empty.post("/api/v1/accounts/first-admin", json=self.body(link, email="b@example.org"))
        assert again.status_code == 403 and "link" in again.json()["remedy"]

    def test_an_old_link_is_worth_nothing(self, empty):
        link = self.link(empty)
        with empty.app.state.context.database.write() as session:
            session.execute(update(OneTimeCode).values(expires_at=clock.now()))
        assert empty.post("/api/v1/accounts/first-admin", json=self.body(link)).status_code == 403

    def test_it_is_printed_at_the_start_and_only_its_hash_is_stored(self, empty, capsys, caplog):
        context = empty.app.state.context
        with caplog.at_level(logging.WARNING):
            offer_first_admin(context)
        printed = capsys.readouterr().out + caplog.text
        assert f"{PUBLIC_URL}/first-admin#code=" in printed
        with context.database.read() as session:
            [stored] = session.scalars(select(OneTimeCode.sha256))
        assert stored not in printed

    @pytest.mark.parametrize("password", ["fourteen chars", "x" * 129])
    def test_a_password_has_a_length(self, empty, password):
        answer = empty.post("/api/v1/accounts/first-admin", json=self.body(self.link(empty), password=password))
        assert answer.status_code == 422
        assert password not in answer.text and "15 to 128" in answer.json()["remedy"]

    def test_what_is_missing_is_answered_without_what_is_there(self, empty):
        body = self.body("#code=c")
        del body["name"]
        answer = empty.post("/api/v1/accounts/first-admin", json=body)
        assert answer.status_code == 422 and PASSWORD not in answer.text


class TestSignIn:
    def test_a_cookie_that_scripts_and_other_sites_do_not_get(self, team):
        answer = team.sign_in("owner")
        assert answer.status_code == 200, answer.text
        cookie = answer.headers["set-cookie"].lower()
        assert cookie.startswith("__host-phylon=")
        for part in ("httponly", "secure", "samesite=strict", "path=/", "max-age=604800"):
            assert part in cookie
        assert "domain" not in cookie
        assert team.browser.get(ME).json()["name"] == "owner"
        with team.context.database.read() as session:
            assert session.scalars(select(SignIn.sha256)).one() not in answer.headers["set-cookie"]

    def test_without_tls_the_cookie_has_a_plain_name(self, team):
        app = create_app(dataclasses.replace(team.context.settings, public_url="http://phylon.lan"))
        client = TestClient(app, base_url="http://phylon.lan", headers={"Origin": "http://phylon.lan"})
        body = {"email": "owner@example.org", "password": PASSWORD}
        cookie = client.post("/api/v1/accounts/sign-in", json=body).headers["set-cookie"].lower()
        assert cookie.startswith("phylon=") and "secure" not in cookie
        assert client.get(ME).status_code == 200
        app.state.context.doorbell.close()
        app.state.context.database.dispose()

    def test_nobody_learns_who_has_an_account(self, team):
        wrong, unknown = team.sign_in("owner", "wrong" * 4), team.sign_in("nobody")
        assert (wrong.status_code, unknown.status_code) == (401, 401)
        assert wrong.json() == unknown.json()

    def test_each_failure_makes_the_next_try_wait_longer(self, team):
        team.sign_in("owner", "wrong" * 4)
        blocked = team.sign_in("owner")
        assert blocked.status_code == 429 and blocked.headers["retry-after"] == "1"
        assert team.sign_in("other").status_code == 200, "only this account"
        for pause in (2, 4, 8):
            set_times(team, SignInFailures, blocked_until=clock.now())
            assert team.sign_in("owner", "wrong" * 4).status_code == 401
            assert int(team.sign_in("owner").headers["retry-after"]) in (pause - 1, pause)
        set_times(team, SignInFailures, blocked_until=clock.now())
        assert team.sign_in("owner").status_code == 200
        assert team.sign_in("owner").status_code == 200, "a success forgives"

    def test_the_pause_has_an_end(self, team):
        team.sign_in("owner", "wrong" * 4)
        set_times(team, SignInFailures, count=40, blocked_until=clock.now())
        team.sign_in("owner", "wrong" * 4)
        assert int(team.sign_in("owner").headers["retry-after"]) <= throttle.LONGEST_SECONDS

    def test_tries_at_the_same_moment_count_too(self, team):
        """A try counts as failed until its password was found right."""
        with team.context.database.write() as session:
            throttle.admit(session, "owner@example.org")
        with pytest.raises(throttle.TooManyTries), team.context.database.write() as session:
            throttle.admit(session, "owner@example.org")

    def test_an_outdated_hash_is_made_again(self, team):
        team.sign_in("owner")
        with team.context.database.read() as session:
            renewed = session.get_one(User, team.ids["owner"]).password_hash
        assert renewed and not passwords.is_outdated(renewed) and passwords.matches(renewed, PASSWORD)

    @pytest.mark.parametrize("column", [{"last_seen_at": IDLE}, {"created_at": ABSOLUTE}])
    def test_it_ends_by_itself(self, team, column):
        team.sign_in("owner")
        set_times(team, SignIn, **{name: clock.now() - age for name, age in column.items()})
        assert team.browser.get(ME).status_code == 401

    def test_signing_out_ends_it(self, team):
        secret_of_cookie = team.sign_in("owner").cookies["__Host-phylon"]
        assert team.browser.post("/api/v1/accounts/sign-out", headers=ORIGIN).status_code == 204
        assert team.browser.get(ME, headers={"Cookie": f"__Host-phylon={secret_of_cookie}"}).status_code == 401

    def test_each_sign_in_is_a_new_one(self, team):
        first = team.sign_in("owner").cookies["__Host-phylon"]
        assert team.sign_in("owner").cookies["__Host-phylon"] != first

    def test_a_new_password_ends_the_other_sign_ins(self, team):
        old = team.sign_in("owner").cookies["__Host-phylon"]
        body = {"current": PASSWORD, "new": "another good password"}
        assert team.browser.put("/api/v1/accounts/password", json=body, headers=ORIGIN).status_code == 200
        assert team.browser.get(ME).status_code == 200
        team.browser.cookies.clear()
        assert team.browser.get(ME, headers={"Cookie": f"__Host-phylon={old}"}).status_code == 401
        assert team.sign_in("owner", "another good password").status_code == 200


class TestOtherSites:
    """What a browser sends to change something must come from a page of the public address."""

    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            (ORIGIN, 200),
            (ORIGIN | {"Sec-Fetch-Site": "same-origin"}, 200),
            (ORIGIN | {"Sec-Fetch-Site": "cross-site"}, 403),
            (ORIGIN | {"Sec-Fetch-Site": "same-site"}, 403),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "http://phylon.example.org"}, 403),
            ({"Origin": "null"}, 403),
            ({}, 403),
            (ORIGIN | {"Content-Type": "text/plain"}, 415),
            (ORIGIN | {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ],
    )
    def test_changes_by_cookie(self, team, headers, status):
        team.sign_in("owner")
        content = json.dumps({"name": "a token"})
        given = {"Content-Type": "application/json"} | headers
        answer = team.browser.post("/api/v1/accounts/tokens", content=content, headers=given)
        assert answer.status_code == (201 if status == 200 else status), answer.text

    def test_nobody_is_signed_in_by_another_site(self, team):
        assert team.sign_in("owner", Origin="https://evil.example").status_code == 403

    def test_a_token_needs_no_origin(self, team):
        assert team.as_("owner").post("/api/v1/accounts/tokens", json={"name": "b"}).status_code == 201

    def test_a_wrong_token_does_not_fall_back_to_the_cookie(self, team):
        team.sign_in("owner")
        assert team.browser.get(ME, headers={"Authorization": "Bearer phylon_wrong"}).status_code == 401


class TestTokens:
    def test_the_secret_is_shown_once_and_recognisable(self, team):
        client = team.as_("owner")
        made = client.post("/api/v1/accounts/tokens", json={"name": "laptop", "scopes": ["write", "read"]}).json()
        assert secret.is_token(made["secret"], secret.PERSONAL) and made["scopes"] == ["read", "write"]
        assert made["secret"] not in client.get("/api/v1/accounts/tokens").text
        damaged = made["secret"][:-1] + ("a" if made["secret"][-1] != "a" else "b")
        assert not secret.is_token(damaged, secret.PERSONAL)
        with team.context.database.read() as session:
            assert made["secret"] not in [token.sha256 for token in session.scalars(select(Token))]

    def test_scopes(self, team):
        reader = team.as_("owner", Scope.READ)
        assert reader.get("/api/v1/experiments").status_code == 200
        refused = reader.post("/api/v1/accounts/projects", json={"name": "x"})
        assert refused.status_code == 403 and "scope `write`" in refused.json()["detail"]
        plain_admin = team.as_("admin", Scope.READ, Scope.WRITE)
        assert plain_admin.get("/api/v1/accounts/audit").status_code == 403
        assert plain_admin.get(ME).json()["is_admin"] is False
        plain_lead = team.as_("lead", Scope.READ, Scope.WRITE)
        project = team.projects["alpha"]
        assert plain_lead.patch(f"/api/v1/accounts/projects/{project}", json={"name": "x"}).status_code == 403
        beyond = plain_lead.post("/api/v1/accounts/tokens", json={"name": "more", "scopes": ["admin"]})
        assert beyond.status_code == 403
        assert team.as_("owner", Scope.WRITE).get("/api/v1/experiments").status_code == 403

    def test_reading_is_enough_for_what_changes_nothing(self, team):
        reader = team.as_("watcher", Scope.READ)
        assert reader.post("/api/v1/specs/validate", json={"yaml": "version: 2"}).json()["valid"] is False
        assert reader.post("/api/v1/accounts/tokens", json={"name": "b"}).status_code == 403

    def test_whoever_has_one_can_end_it(self, team):
        reader = team.as_("owner", Scope.READ)
        assert reader.post("/api/v1/accounts/sign-out").status_code == 204
        assert reader.get(ME).status_code == 401
        assert team.as_("owner").get(ME).status_code == 200

    def test_it_expires(self, team):
        client = team.as_("owner")
        assert client.get(ME).status_code == 200
        set_times(team, Token, expires_at=clock.now())
        assert client.get(ME).status_code == 401

    def test_the_last_use_is_noted_once_a_minute(self, team):
        client = team.as_("owner")

        def last_used():
            with team.context.database.read() as session:
                return session.scalars(select(Token.last_used_at)).one()

        client.get(ME)
        first = last_used()
        client.get(ME)
        assert first is not None and last_used() == first
        set_times(team, Token, last_used_at=first - timedelta(minutes=2))
        client.get(ME)
        assert last_used() >= first

    def test_a_revoked_one_is_out(self, team):
        made = team.as_("owner").post("/api/v1/accounts/tokens", json={"name": "b"}).json()
        headers = {"Authorization": f"Bearer {made['secret']}"}
        assert team.browser.get(ME, headers=headers).status_code == 200
        assert team.as_("owner").delete(f"/api/v1/accounts/tokens/{made['id']}").status_code == 204
        assert team.browser.get(ME, headers=headers).status_code == 401


class TestPeople:
    def test_an_invitation_lets_one_person_in(self, team):
        body = {"email": "New@Example.org", "project": "alpha", "role": "viewer"}
        made = team.as_("lead").post("/api/v1/accounts/invitations", json=body).json()
        assert made["link"].startswith(f"{PUBLIC_URL}/invitation#code=")
        code = made["link"].partition("code=")[2]
        accepted = {"code": code, "name": "New", "password": PASSWORD}
        answer = team.browser.post("/api/v1/accounts/invitations/accept", json=accepted)
        assert answer.status_code == 201, answer.text
        me = team.browser.get(ME).json()
        assert (me["email"], [project["role"] for project in me["projects"]]) == ("new@example.org", ["viewer"])
        team.browser.cookies.clear()
        assert team.browser.post("/api/v1/accounts/invitations/accept", json=accepted).status_code == 403

    def test_an_invitation_never_takes_over_an_account(self, team):
        body = {"email": "admin@example.org", "project": "alpha"}
        assert team.as_("lead").post("/api/v1/accounts/invitations", json=body).status_code == 409

    def test_disabling_ends_everything(self, team):
        client = team.as_("owner")
        team.sign_in("owner")
        path = f"/api/v1/accounts/people/{team.ids['owner']}"
        assert team.as_("admin").patch(path, json={"is_disabled": True}).json()["disabled_at"]
        assert client.get(ME).status_code == 401
        assert team.browser.get(ME).status_code == 401
        assert team.sign_in("owner").status_code == 401
        team.as_("admin").patch(path, json={"is_disabled": False})
        set_times(team, SignInFailures, blocked_until=clock.now())
        assert team.sign_in("owner").status_code == 200

    @pytest.mark.parametrize("change", [{"is_disabled": True}, {"is_admin": False}])
    def test_the_last_admin_stays(self, team, change):
        path = f"/api/v1/accounts/people/{team.ids['admin']}"
        assert team.as_("admin").patch(path, json=change).status_code == 409

    def test_everyone_knows_their_colleagues(self, team):
        names = [person["name"] for person in team.as_("stranger").get("/api/v1/accounts/people").json()["items"]]
        assert names == ["stranger"]
        assert team.as_("watcher").get("/api/v1/accounts/people").json()["total"] == 4
        assert team.as_("admin").get("/api/v1/accounts/people").json()["total"] == 6

    def test_an_admin_lets_someone_choose_a_new_password_once(self, team):
        token = team.as_("owner")
        team.sign_in("owner")
        path = f"/api/v1/accounts/people/{team.ids['owner']}"
        links = [team.as_("admin").post(f"{path}/reset-link").json() for _ in range(2)]
        assert links[1]["link"].startswith(f"{PUBLIC_URL}/reset-password#code=")
        old, new = (link["link"].partition("code=")[2] for link in links)
        read, reset = "/api/v1/accounts/links/read", "/api/v1/accounts/password-reset"
        browser = TestClient(team.app, base_url=PUBLIC_URL, headers=ORIGIN)
        asked = {"purpose": "password_reset", "code": new}
        assert browser.post(read, json=asked).json()["email"] == "owner@example.org"
        assert browser.post(read, json=asked | {"purpose": "invitation"}).status_code == 403
        password = "another long enough password"
        assert browser.post(reset, json={"code": old, "password": password}).status_code == 403, "the newest counts"
        assert browser.post(reset, json={"code": new, "password": "short"}).status_code == 422
        assert browser.post(reset, json={"code": new, "password": password}).status_code == 200
        assert browser.get(ME).json()["name"] == "owner"
        assert browser.post(reset, json={"code": new, "password": password}).status_code == 403, "once"
        assert team.browser.get(ME).status_code == 401, "all other sign-ins have ended"
        assert token.get(ME).status_code == 200, "tokens stay"
        assert (team.sign_in("owner").status_code, team.as_("admin").get(ME).status_code) == (401, 200)
        unused = team.as_("admin").post(f"{path}/reset-link").json()["link"].partition("code=")[2]
        team.as_("admin").patch(path, json={"is_disabled": True})
        assert browser.post(reset, json={"code": unused, "password": password}).status_code == 403
        assert team.as_("admin").post(f"{path}/reset-link").status_code == 409

    def test_everyone_ends_their_own_sign_ins(self, team):
        other = TestClient(team.app, base_url=PUBLIC_URL, headers=ORIGIN | {"user-agent": "Firefox/140"})
        body = {"email": "owner@example.org", "password": PASSWORD}
        assert other.post("/api/v1/accounts/sign-in", json=body).status_code == 200
        team.sign_in("owner")
        assert team.as_("other").get("/api/v1/accounts/sign-ins").json()["items"] == []
        mine, theirs = sorted(
            team.browser.get("/api/v1/accounts/sign-ins").json()["items"], key=lambda each: not each["is_current"]
        )
        assert (mine["is_current"], theirs["is_current"], theirs["browser"]) == (True, False, "Firefox/140")
        path = f"/api/v1/accounts/sign-ins/{theirs['id']}"
        assert team.as_("other").delete(path).status_code == 404
        assert team.browser.delete(path, headers=ORIGIN).status_code == 204
        assert (other.get(ME).status_code, team.browser.get(ME).status_code) == (401, 200)
        kept = dict(team.browser.cookies)
        assert team.browser.post("/api/v1/accounts/sign-out", headers=ORIGIN).status_code == 204
        assert not team.browser.cookies
        team.browser.cookies.update(kept)
        assert team.browser.get(ME).status_code == 401, "the service itself has ended it"


class TestProjects:
    def test_what_is_submitted_goes_to_the_first_project_as_a_member(self, team, spec):
        made = team.as_("stranger").post("/api/v1/experiments", json={"spec": spec}).json()
        assert (made["project"]["name"], made["owner"]["name"]) == ("beta", "stranger")
        refused = team.as_("watcher").post("/api/v1/experiments", json={"spec": spec})
        assert refused.status_code == 403 and "role `member`" in refused.json()["remedy"]
        unknown = team.as_("stranger").post("/api/v1/experiments", json={"spec": spec, "project": "alpha"})
        assert unknown.status_code == 422 and "beta" in unknown.json()["remedy"]

    def test_who_leaves_a_project_sees_nothing_of_it_any_more(self, team, spec):
        made = team.as_("owner").post("/api/v1/experiments", json={"spec": spec}).json()
        path = f"/api/v1/experiments/{made['id']}"
        assert team.as_("other").get(path).status_code == 200
        members = f"/api/v1/accounts/projects/{team.projects['alpha']}/members"
        assert team.as_("lead").delete(f"{members}/{team.ids['other']}").status_code == 204
        assert team.as_("other").get(path).status_code == 404

    def test_a_name_is_given_once(self, team):
        client = team.as_("admin")
        assert client.post("/api/v1/accounts/projects", json={"name": "alpha"}).status_code == 409
        path = f"/api/v1/accounts/projects/{team.projects['beta']}"
        assert client.patch(path, json={"name": "alpha"}).status_code == 409
        shared = client.put(f"{path}/share", json={"weight": 3, "max_running": 2}).json()
        assert (shared["name"], shared["weight"], shared["max_running"]) == ("beta", 3.0, 2)

    def test_keys_of_calls_are_everyones_own(self, team, spec):
        key = {"Idempotency-Key": "the-same"}
        first = team.as_("owner").post("/api/v1/experiments", json={"spec": spec}, headers=key)
        other = team.as_("stranger").post("/api/v1/experiments", json={"spec": spec}, headers=key)
        assert (first.status_code, other.status_code) == (201, 201)
        assert first.json()["id"] != other.json()["id"]


class TestAudit:
    def test_who_did_what_without_any_secret(self, team, spec):
        secrets = [team.token("owner"), PASSWORD, "wrong" * 4]
        team.sign_in("other", "wrong" * 4)
        secrets.append(team.sign_in("owner").cookies["__Host-phylon"])
        client = team.as_("owner")
        experiment = client.post("/api/v1/experiments", json={"spec": spec}).json()["id"]
        client.post(f"/api/v1/experiments/{experiment}/stop")
        client.delete(f"/api/v1/experiments/{experiment}")
        code = team.as_("admin").post("/api/v1/workers/codes", json={}).json()["code"]
        secrets.append(code)
        page = team.as_("admin").get("/api/v1/accounts/audit", params={"limit": 2}).json()
        assert len(page["items"]) == 2 and page["next"]
        exported = team.as_("admin").get("/api/v1/accounts/audit.ndjson").text
        records = [json.loads(line) for line in exported.splitlines()]
        assert len(records) == page["total"]
        actions = [record["action"] for record in reversed(records)]
        wanted = ["sign_in.failed", "sign_in.ok", "experiment.create", "experiment.stop", "experiment.delete"]
        assert [action for action in actions if action != "token.create"] == [*wanted, "worker.code"]
        stopped = next(record for record in records if record["action"] == "experiment.stop")
        assert (stopped["actor"], stopped["target"]) == ("owner", f"experiment {experiment}")
        assert (stopped["project_id"], stopped["address"]) == (team.projects["alpha"], "testclient")
        assert not [secret for secret in secrets if secret in exported]

        def found(**wanted):
            page = team.as_("admin").get("/api/v1/accounts/audit", params=wanted).json()
            lines = team.as_("admin").get("/api/v1/accounts/audit.ndjson", params=wanted).text.splitlines()
            assert page["items"] == [json.loads(line) for line in lines] and page["total"] == len(lines)
            return [record["action"] for record in page["items"]]

        assert found(action="sign_in") == ["sign_in.ok", "sign_in.failed"]
        assert found(action="sign") == [] and found(actor="OTHER@", action="sign_in.failed") == ["sign_in.failed"]
        assert found(target=f"experiment {experiment}", project=team.projects["alpha"])[0] == "experiment.delete"
        assert found(since=stopped["at"], until=stopped["at"]) == []
        assert found(since=stopped["at"], action="experiment") == ["experiment.delete", "experiment.stop"]
        assert team.as_("admin").get("/api/v1/accounts/audit?since=yesterday").status_code == 422

    def test_a_refusal_names_who_could_allow_it(self, team, spec):
        made = team.as_("owner").post("/api/v1/experiments", json={"spec": spec}).json()["id"]
        refused = team.as_("other").post(f"/api/v1/experiments/{made}/stop").json()["remedy"]
        assert "owner, who owns it" in refused and "(lead)" in refused
        renamed = team.as_("other").patch(f"/api/v1/accounts/projects/{team.projects['alpha']}", json={"name": "x"})
        assert "(lead)" in renamed.json()["remedy"]
        assert "(lead)" in team.as_("watcher").post("/api/v1/experiments", json={"spec": spec}).json()["remedy"]

    @pytest.mark.parametrize("statement", ["UPDATE audit_records SET action = 'x'", "DELETE FROM audit_records"])
    def test_the_database_keeps_it(self, team, statement):
        team.sign_in("owner")
        with pytest.raises(DatabaseError, match="never changed"), team.context.database.write() as session:
            session.execute(text(statement))


class TestWithoutAccounts:
    def test_everyone_is_the_local_user(self, client):
        me = client.get(ME).json()
        assert (me["name"], me["is_admin"], me["has_accounts"]) == ("local", True, False)

    @pytest.mark.parametrize("path", ["tokens", "people", "invitations"])
    def test_there_is_nobody_to_manage(self, client, path):
        answer = client.get(f"/api/v1/accounts/{path}")
        assert answer.status_code == 409 and "--public-url" in answer.json()["remedy"]

    def test_signing_in_means_nothing(self, client):
        body = {"email": "a@b", "password": "x"}
        assert client.post("/api/v1/accounts/sign-in", json=body).status_code == 409


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://phylon.example.org", "https://phylon.example.org"),
        ("https://Phylon.example.org:443/", "https://phylon.example.org"),
        ("http://localhost:8080", "http://localhost:8080"),
    ],
)
def test_the_public_address_is_written_as_browsers_do(given, expected):
    assert from_environment({"PHYLON_PUBLIC_URL": given}).public_url == expected


@pytest.mark.parametrize("given", ["phylon.example.org", "https://a/b", "ftp://a", "https://u@a", "https://a?x=1"])
def test_what_is_no_public_address(given):
    with pytest.raises(SettingInvalid, match="PHYLON_PUBLIC_URL"):
        from_environment({"PHYLON_PUBLIC_URL": given})


def test_a_stream_ends_for_those_who_may_see_it_no_more(team, spec):
    run = team.as_("owner").post("/api/v1/experiments", json={"spec": spec}).json()["runs"][0]["id"]
    with team.context.database.read() as session:
        job_id = session.get_one(Run, run).job_id
        viewer = viewer_of(session, session.get_one(User, team.ids["other"]), ALL_SCOPES, None)
    assert _look_at(team.context, viewer, {job_id: None})[job_id] is not None
    members = f"/api/v1/accounts/projects/{team.projects['alpha']}/members"
    team.as_("lead").delete(f"{members}/{team.ids['other']}")
    assert _look_at(team.context, viewer, {job_id: None})[job_id] is None
