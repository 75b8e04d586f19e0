"""The query language: what it reads, and what it says about what it cannot read."""

from datetime import UTC, datetime

import pytest

from phylon.query import And, Comparison, Not, Or, QueryInvalid, Search, fields_of, find_field, parse

NOW = datetime(2026, 3, 8, 12, tzinfo=UTC)


def compared(name, operator, *values):
    return Comparison(find_field(name), operator, values)


def test_what_queries_mean():
    meanings = {
        "": None,
        "   ": None,
        "algorithm = td3": compared("algorithm", "=", "td3"),
        "env ~ cheetah": compared("environment", "~", "cheetah"),
        "final>3000": compared("final", ">", 3000.0),
        "final >= -1.5e3": compared("final", ">=", -1500.0),
        "spec.budget.env_steps < 20k": compared("spec.budget.env_steps", "<", "20k"),
        "algorithm.batch_size = 256": compared("spec.algorithm.batch_size", "=", "256"),
        "name = 'a \"b\" (c)'": compared("name", "=", 'a "b" (c)'),
        r'name = "a \" b"': compared("name", "=", 'a " b'),
        "star = yes": compared("star", "=", 1.0),
        "final = none": compared("final", "=", None),
        'name = "none"': compared("name", "=", "none"),
        "created > 7d": compared("created", ">", datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()),
        "created < 2026-03-01": compared("created", "<", datetime(2026, 3, 1, tzinfo=UTC).timestamp()),
        "tag in (paper, 'my tag')": compared("tag", "in", "paper", "my tag"),
        "status not in (running, queued)": Not(compared("status", "in", "running", "queued")),
        "cheetah": Search("cheetah"),
        "cheetah walker": And((Search("cheetah"), Search("walker"))),
        "NOT star = no AND a": And((Not(compared("star", "=", 0.0)), Search("a"))),
        # `and` binds closer than `or`, `not` closest
        "a or b and not c": Or((Search("a"), And((Search("b"), Not(Search("c")))))),
        "(a or b) and c": And((Or((Search("a"), Search("b"))), Search("c"))),
        "metric.training/critic_loss > 2": compared("metric.training/critic_loss", ">", 2.0),
    }
    assert {text: parse(text, NOW) for text in meanings} == meanings
    query = parse("a and (final > 1 or not archived = yes)")
    assert query is not None and [field.name for field in fields_of(query)] == ["final", "archived"]


@pytest.mark.parametrize(
    ("text", "where", "message", "remedy"),
    [
        ("algoritm = td3", "algoritm", "no field 'algoritm'", "did you mean algorithm"),
        ("final > many", "many", "final is a number", "final > 3000"),
        ("final >", ">", "a value is missing", "final > 3000"),
        ("> 3", ">", "nothing before it", "name of a field"),
        ("(a or b", "(", "never closed", ")"),
        ("a)", ")", "no ( for this )", "take it out"),
        ("a and", "", "ends too early", "compared"),
        ("and a", "and", "both sides", "joins"),
        ("name = 'open", "'open", "has no end", "close it"),
        ("a ! b", "!", "means nothing", "!="),
        ("star = maybe", "maybe", "yes or no", "star = yes"),
        ("status = done", "done", "no experiment is 'done'", "finished"),
        ("status > running", ">", "no order", "= !="),
        ("final ~ 3", "~", "no text", "="),
        ("created > soon", "soon", "no time", "7d"),
        ("final > none", "> none", "no order", "final = none"),
        ("algorithm.network > big", "big", "no order", "number"),
        ("tag in (a b)", "b", "separated by commas", "(a, b)"),
        ("tag in ()", "(", "a value is missing", "tag = paper"),
        ("(" * 40 + "a" + ")" * 40, "(", "nested too deeply", "fewer"),
        ("a" * 2001, "a", "2,001 characters", "at most"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text, where, message, remedy):
    with pytest.raises(QueryInvalid) as refused:
        parse(text)
    assert text[refused.value.start : refused.value.end] == where
    assert message in refused.value.message and remedy in refused.value.remedy
