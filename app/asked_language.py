"""The language of what a page asks the server for outside of its session: the address of the question names it."""

from starlette.requests import Request

from diagnostics.language import ENGLISH, current_language, known_language

_LANGUAGE = "lang"


def in_current_language(address: str) -> str:
    """A relative address whose answer is to be in the current language."""
    code = current_language()
    return address if code == ENGLISH else f"{address}{'&' if '?' in address else '?'}{_LANGUAGE}={code}"


def asked_language(request: Request) -> str:
    """The language that the address of a request names, else English."""
    return known_language(request.query_params.get(_LANGUAGE))
