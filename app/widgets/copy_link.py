"""The button that copies the address of the page: what is shown on it, and how."""

from app.widgets.component import component

_WORDS = {"copy": "Copy link", "hint": "The address holds what this page shows: section, step, zoom, filters"}


def copy_link() -> None:
    """Draw the button."""
    component("copy_link", {"words": _WORDS}, lambda _: None)
