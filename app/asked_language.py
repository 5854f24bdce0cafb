"""The language that an address asks for: how it is written there, and what a request outside of a session gets."""

from starlette.requests import HTTPConnection

from diagnostics.language import ENGLISH, current_language, known_language

LANGUAGE = "lang"
"""The parameter of the address."""


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
    """The language for what is shown before there is a page: that of the address, else what the browser wants most."""
    return known_language(request.query_params.get(LANGUAGE), request.headers.get("accept-language"))
