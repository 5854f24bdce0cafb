"""The button that copies the address of the page: what is shown on it, and how."""

from app.widgets.component import component
from diagnostics.language import N_, _

_WORDS = {
    "copy": N_("Copy link"),
    "hint": N_("The address holds what this page shows: section, step, zoom, filters"),
}


def copy_link() -> None:
    """Draw the button."""
    component("copy_link", {"words": {name: _(words) for name, words in _WORDS.items()}}, lambda _wish: None)
