"""The language that an address asks for: how it is written there, and what a request outside of a session gets."""

from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode

from starlette.requests import HTTPConnection

from diagnostics.language import ENGLISH, LANGUAGES, current_language, known_language

LANGUAGE = "lang"
"""The parameter of the address."""
PREFERENCE = "rlvitals-lang"
"""The cookie that keeps what was chosen at the foot of a page; an address goes before it."""
_CHOICE = "choose_lang"  # the parameter of a switch's address

Parameters = Iterable[tuple[str, str]]


def with_language(address: str, code: str) -> str:
    """A relative address that asks for a language."""
    return f"{address}{'&' if '?' in address else '?'}{LANGUAGE}={code}"


def in_current_language(address: str) -> str:
    """A relative address whose answer is to be in the current language; English goes without saying."""
    code = current_language()
    return address if code == ENGLISH else with_language(address, code)


def asked_language(request: HTTPConnection) -> str:
    """The language that the address of a question names, else English: a page has put its own into it."""
    return known_language(request.query_params.get(LANGUAGE))


def wanted_language(request: HTTPConnection) -> str:
    """The language of what is shown before there is a page: the address's, else the chosen one, else the browser's."""
    preferred = request.cookies.get(PREFERENCE)
    return known_language(request.query_params.get(LANGUAGE), preferred, request.headers.get("accept-language"))


def switching_query(parameters: Parameters, code: str) -> str:
    """The query that chooses a language for good, and shows what these parameters of a page's address show."""
    others = ((name, value) for name, value in parameters if name != LANGUAGE)
    return urlencode([*others, (_CHOICE, code)])


def chosen_for_good(request: HTTPConnection) -> tuple[str, str] | None:
    """The language that such a query chooses, and the query of the page in that language; None for any other query."""
    code = request.query_params.get(_CHOICE)
    if code is None or code not in LANGUAGES:
        return None
    every = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    others = ((name, value) for name, value in every if name not in (_CHOICE, LANGUAGE))
    return code, urlencode([*others, (LANGUAGE, code)])
