"""`phylon webhooks` with the real service."""

import json

import pytest

ADDRESS = "http://127.0.0.1:9/hook"


@pytest.fixture
def ask(phylon, service):
    return lambda *arguments: phylon("webhooks", *arguments, "--url", service.url)


def test_created_listed_tested_disabled_and_deleted(ask):
    created = json.loads(ask("--add", ADDRESS, "--format", "slack", "--event", "run.failed", "--json").stdout)
    number = str(created["id"])
    assert created["secret"].startswith("whsec_") and created["events"] == ["run.failed"]
    assert ADDRESS in ask().stdout and created["secret"] not in ask("--json").stdout
    assert "webhook.test" in ask(number, "--test").stdout
    [delivery] = json.loads(ask(number, "--json").stdout)
    assert delivery["event"] == "webhook.test"
    assert json.loads(ask(number, "--disable", "--json").stdout)[0]["enabled"] is False
    assert "is gone" in ask(number, "--delete").stdout
    assert ask(number).exit_code == 2


def test_the_secret_is_shown_to_people_too(ask):
    result = ask("--add", ADDRESS)
    assert "whsec_" in result.stdout and "not shown again" in result.stdout


def test_wrong_usage(ask):
    result = ask("--test")
    assert result.exit_code == 2 and "name the webhook" in result.stderr
    result = ask("--add", "example.org")
    assert result.exit_code == 2 and "http://" in result.stderr
