"""The button that copies the address of the page: what is shown on it, and how."""

from app.widgets.component import component
from diagnostics.language import _


def copy_link() -> None:
    """Draw the button."""
    words = {
        "copy": _("Copy link"),
        "copied": _("Copied"),
        "hint": _("The address holds what this page shows: section, step, zoom, filters"),
    }
    component("copy_link", {"words": words}, lambda wish: None)
