"""The query language of the experiments table: `algorithm = td3 and env ~ cheetah and final > 3000 and tag = paper`.

Text becomes tokens, tokens a tree of plain tuples; what a tree means in a database is for the service to say.
"""

from phylon.query.fields import FIELDS, Field, Kind, find_field
from phylon.query.parse import parse
from phylon.query.tokens import QueryInvalid
from phylon.query.tree import And, Comparison, Not, Or, Query, Search, fields_of

__all__ = [
    "FIELDS",
    "And",
    "Comparison",
    "Field",
    "Kind",
    "Not",
    "Or",
    "Query",
    "QueryInvalid",
    "Search",
    "fields_of",
    "find_field",
    "parse",
]
