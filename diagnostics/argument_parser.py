"""A parser of arguments that speaks the current language: its own words, and those of argparse."""

import argparse
import gettext
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from diagnostics.language import FOLDER, current_language

_DOMAIN = "words"
_VARIABLE = "LANGUAGE"  # where gettext looks first


class ArgumentParser(argparse.ArgumentParser):
    """argparse's, whose "usage:", headings and errors are looked up where all texts are."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        with _gettext_in_current_language():
            super().__init__(*args, **kwargs)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        with _gettext_in_current_language():
            return super().parse_args(args, namespace)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        with _gettext_in_current_language():
            return super().parse_known_args(args, namespace)

    def print_help(self, file: Any = None) -> None:
        with _gettext_in_current_language():
            super().print_help(file)


@contextmanager
def _gettext_in_current_language() -> Iterator[None]:
    """argparse asks the process's domain of gettext, whose language is that of the environment at this moment."""
    gettext.bindtextdomain(_DOMAIN, FOLDER)
    gettext.textdomain(_DOMAIN)
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = current_language()
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
