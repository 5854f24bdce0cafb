"""The catalogue: all that is known about each rule, cause and metric, found by name, code or any producer's tag."""

from diagnostics.catalogue.lookup import known_names, pages_about
from diagnostics.catalogue.page import Page

__all__ = ["Page", "known_names", "pages_about"]
