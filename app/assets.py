"""The scripts and style sheets that lie beside our own modules."""

from functools import cache
from importlib.resources import files


@cache
def asset(path: str) -> str:
    """The text of one, by its path below `app`."""
    return files("app").joinpath(path).read_text("utf-8")
