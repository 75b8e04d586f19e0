"""Tokens to a tree.

    any      all  ("or" all)*
    all      one  ("and"? one)*
    one      "not" one  |  "(" any ")"  |  field operator value  |  field ["not"] "in" "(" value, … ")"  |  word

Words without a field are searched for. `not` binds closest, then `and`, then `or`.
"""

import re
from datetime import UTC, datetime, timedelta

from phylon.contract.vocabulary import ExperimentStatus
from phylon.query.fields import Field, FieldUnknown, find_field
from phylon.query.tokens import QueryInvalid, Token, tokenise
from phylon.query.tree import And, Comparison, Not, Operator, Or, Query, Search, Value

_DEEPEST = 30
_MOST_VALUES = 200
_OPERATORS: dict[str, Operator] = {"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "~": "~"}
_ORDERED = frozenset({"number", "time", "spec", "metric"})
_FLAGS = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}
_UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_FACTORS = {"k": 1e3, "m": 1e6, "g": 1e9}


def parse(text: str, now: datetime | None = None) -> Query | None:
    """None for a query that says nothing. Raises `QueryInvalid`."""
    tokens = tokenise(text)
    if tokens[0].kind == "end":
        return None
    parser = _Parser(tokens, now or datetime.now(UTC))
    found = parser.any(0)
    rest = parser.peek()
    if rest.kind == "close":
        raise QueryInvalid("there is no ( for this )", "take it out, or open it before", rest.start, rest.end)
    if rest.kind != "end":
        raise QueryInvalid(
            f"'{rest.value}' is not expected here", "write `and` or `or` before it", rest.start, rest.end
        )
    return found


class _Parser:
    def __init__(self, tokens: list[Token], now: datetime) -> None:
        self._tokens = tokens
        self._now = now
        self._at = 0

    def peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _next(self) -> Token:
        token = self.peek()
        self._at += 1
        return token

    def any(self, depth: int) -> Query:
        parts = [self._all(depth)]
        while self.peek().is_word("or"):
            self._next()
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all(self, depth: int) -> Query:
        parts = [self._one(depth)]
        while True:
            token = self.peek()
            if token.is_word("and"):
                self._next()
            elif token.kind not in ("word", "text", "open") or token.is_word("or"):
                break
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _one(self, depth: int) -> Query:
        token = self._next()
        if depth > _DEEPEST:
            raise QueryInvalid("the query is nested too deeply", "use fewer parentheses", token.start, token.end)
        if token.is_word("and", "or"):
            raise QueryInvalid(
                f"`{token.value}` needs something on both sides",
                f'write what it joins, or "{token.value}" to search for the word',
                token.start,
                token.end,
            )
        if token.is_word("not"):
            return Not(self._one(depth + 1))
        if token.kind == "open":
            inside = self.any(depth + 1)
            close = self._next()
            if close.kind != "close":
                raise QueryInvalid("this ( is never closed", "write ) where it ends", token.start, token.end)
            return inside
        if token.kind == "text":
            return Search(token.value)
        if token.kind == "word":
            return self._comparison(token)
        if token.kind == "end":
            raise QueryInvalid("the query ends too early", "write what is to be compared", token.start, token.end)
        remedy = "write the name of a field before it, e.g. final > 3000"
        raise QueryInvalid(f"'{token.value}' has nothing before it", remedy, token.start, token.end)

    def _comparison(self, name: Token) -> Query:
        following = self.peek()
        is_not_in = following.is_word("not") and self.peek(1).is_word("in")
        if (following.is_word("in") and self.peek(1).kind == "open") or is_not_in:
            self._next()
            if is_not_in:
                self._next()
            found = Comparison(_field(name), "in", self._list(name))
            return Not(found) if is_not_in else found
        if following.kind != "operator":
            return Search(name.value)
        sign, field = self._next(), _field(name)
        operator = _OPERATORS[sign.value]
        if operator in ("<", "<=", ">", ">=") and field.kind not in _ORDERED:
            remedy = f"compare {field.name} with = != or ~"
            raise QueryInvalid(f"{field.name} has no order", remedy, sign.start, sign.end)
        if operator == "~" and field.kind in ("number", "time", "flag", "metric"):
            remedy = "compare it with = != < <= > >="
            raise QueryInvalid(f"{field.name} is no text, which ~ looks into", remedy, sign.start, sign.end)
        value = self._value(field, sign)
        if value is None and operator not in ("=", "!="):
            raise QueryInvalid("`none` has no order", f"write {field.name} = none", sign.start, self.peek(-1).end)
        if operator in ("<", "<=", ">", ">=") and isinstance(value, str) and read_number(value) is None:
            remedy = "compare it with = != or ~, or write a number"
            raise QueryInvalid(f"'{value}' has no order", remedy, self.peek(-1).start, self.peek(-1).end)
        return Comparison(field, operator, (value,))

    def _list(self, name: Token) -> tuple[Value, ...]:
        opened = self._next()
        if opened.kind != "open":
            raise QueryInvalid("`in` needs a list", f"write {name.value} in (a, b)", opened.start, opened.end)
        field, values = _field(name), list[Value]()
        while True:
            values.append(self._value(field, opened))
            separator = self._next()
            if separator.kind == "close":
                break
            if separator.kind != "comma":
                raise QueryInvalid(
                    "values of a list are separated by commas", "write (a, b)", separator.start, separator.end
                )
        if len(values) > _MOST_VALUES:
            raise QueryInvalid(f"the list has {len(values)} values", "use at most 200", opened.start, self.peek(-1).end)
        return tuple(values)

    def _value(self, field: Field, before: Token) -> Value:
        token = self._next()
        if token.kind not in ("word", "text"):
            remedy = f"write one, e.g. {field.name} {_EXAMPLES[field.kind]}"
            raise QueryInvalid("a value is missing here", remedy, before.start, before.end)
        if token.kind == "word" and token.value.lower() == "none":
            return None
        match field.kind:
            case "number" | "metric":
                return _number(token, field)
            case "flag":
                flag = _FLAGS.get(token.value.lower())
                if flag is None:
                    raise QueryInvalid(
                        f"{field.name} is yes or no, not '{token.value}'",
                        f"write {field.name} = yes",
                        token.start,
                        token.end,
                    )
                return flag
            case "time":
                return self._time(token, field)
            case "status" if token.value.lower() not in list(ExperimentStatus):
                raise QueryInvalid(
                    f"no experiment is '{token.value}'",
                    f"use one of {', '.join(ExperimentStatus)}",
                    token.start,
                    token.end,
                )
            case "text" | "tag" | "spec" | "status":
                return token.value
        raise AssertionError(field.kind)

    def _time(self, token: Token, field: Field) -> float:
        ago = re.fullmatch(r"(\d{1,6})([mhdw])", token.value)
        if ago:
            return (self._now - timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])).timestamp()
        try:
            moment = datetime.fromisoformat(token.value)
        except ValueError:
            raise QueryInvalid(
                f"'{token.value}' is no time",
                f"write a date ({field.name} > 2026-03-01), or 7d for seven days ago, 12h for twelve hours",
                token.start,
                token.end,
            ) from None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


_EXAMPLES = {
    "text": "~ cheetah",
    "number": "> 3000",
    "metric": "> 10",
    "time": "> 7d",
    "flag": "= yes",
    "tag": "= paper",
    "status": "= running",
    "spec": "= 256",
}


def _field(token: Token) -> Field:
    try:
        return find_field(token.value)
    except FieldUnknown as unknown:
        raise QueryInvalid(unknown.message, unknown.remedy, token.start, token.end) from None


def _number(token: Token, field: Field) -> float:
    found = read_number(token.value)
    if found is None:
        raise QueryInvalid(
            f"{field.name} is a number, which '{token.value}' is not",
            f"write {field.name} > 3000",
            token.start,
            token.end,
        )
    return found


def read_number(text: str) -> float | None:
    """`3000`, `-1.5`, `1e-3`, `1_000`, `20k`; None for anything else."""
    plain = re.fullmatch(r"([+-]?(?:\d[\d_]*)(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|[+-]?\.\d+)([kKMG]?)", text)
    if plain is None:
        return None
    number = float(plain[1].replace("_", ""))
    return number * _FACTORS[plain[2].lower()] if plain[2] else number
