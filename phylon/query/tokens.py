"""Text to tokens, each with its place, so that whatever is wrong can be pointed at."""

import re
from typing import Literal, NamedTuple

TokenKind = Literal["word", "text", "operator", "open", "close", "comma", "end"]

LONGEST_QUERY = 2000


class Token(NamedTuple):
    kind: TokenKind
    value: str
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.value.lower() in words


class QueryInvalid(ValueError):
    """The query cannot be read. `start` and `end` say where, in characters."""

    def __init__(self, message: str, remedy: str, start: int, end: int) -> None:
        self.message = message
        self.remedy = remedy
        self.start = start
        self.end = end
        super().__init__(f"{message}; {remedy}")


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<operator> != | <= | >= | = | < | > | ~ )
      | (?P<open> \( )
      | (?P<close> \) )
      | (?P<comma> , )
      | "(?P<double> (?: [^"\\] | \\. )* )"
      | '(?P<single> (?: [^'\\] | \\. )* )'
      | (?P<word> [^\s=!<>~(),"']+ )
    )""",
    re.VERBOSE,
)


def tokenise(text: str) -> list[Token]:
    """The last one is always `end`."""
    if len(text) > LONGEST_QUERY:
        raise QueryInvalid(
            f"the query has {len(text):,} characters",
            f"use at most {LONGEST_QUERY:,}, or save parts of it as views",
            LONGEST_QUERY,
            len(text),
        )
    tokens: list[Token] = []
    position, length = 0, len(text.rstrip())
    while position < length:
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position + len(text[position:]) - len(text[position:].lstrip()))
        name = match.lastgroup or ""
        start = match.start(name)
        if name in ("double", "single"):
            tokens.append(Token("text", re.sub(r"\\(.)", r"\1", match[name]), start - 1, match.end()))
        else:
            kinds: dict[str, TokenKind] = {
                **{"operator": "operator", "open": "open", "close": "close"},
                **{"comma": "comma", "word": "word"},
            }
            tokens.append(Token(kinds[name], match[name], start, match.end()))
        position = match.end()
    return [*tokens, Token("end", "", length, length)]


def _unreadable(text: str, position: int) -> QueryInvalid:
    sign = text[position]
    if sign in "\"'":
        return QueryInvalid(
            f"the text that begins with {sign} has no end", f"close it with {sign}", position, len(text)
        )
    return QueryInvalid(f"'{sign}' means nothing here", "to compare, use = != < <= > >= ~", position, position + 1)
