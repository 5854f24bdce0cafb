"""Streamlit's own words in another language: it has no setting for them, so a script of the document replaces them."""

import json

from app.assets import asset
from diagnostics.language import N_, _

_ENGLISH = (
    N_("Autosize"),
    N_("Cancel upload of {name}"),
    N_("Choose an option"),
    N_("Clear all"),
    N_("Clear selection"),
    N_("Clear value"),
    N_("Close"),
    N_("Close Search"),
    N_("Close fullscreen"),
    N_("Connecting to Streamlit server"),
    N_("Connection error"),
    N_("Connection lost. Please wait for the app to reconnect, then try again."),
    N_("Copied"),
    N_("Copy column name"),
    N_("Copy to clipboard"),
    N_("Dismiss"),
    N_("Download as CSV"),
    N_("Drag and drop files here"),
    N_("Fullscreen"),
    N_("Hide column"),
    N_("No results"),
    N_("Open"),
    N_("Pin column"),
    N_("Please wait..."),
    N_("Press Enter to apply"),
    N_("Press Enter to submit form"),
    N_("Press {key}+Enter to apply"),
    N_("Press {key}+Enter to submit form"),
    N_("Remove {name}"),
    N_("Search"),
    N_("Select all"),
    N_("Select {count} matches"),
    N_("Selected values"),
    N_("Show/hide columns"),
    N_("Skip to main content"),
    N_("Sort ascending"),
    N_("Sort descending"),
    N_("Stop"),
    N_("Streamlit server is not responding. Are you connected to the internet?"),
    N_("Unpin column"),
    N_("Upload"),
    N_("You can only select up to {count} options. Remove an option first."),
    N_("{size} per file"),
)


def words_of_streamlit() -> str:
    """The element for the head of a document in the current language; empty in English."""
    words = {english: _(english) for english in _ENGLISH if _(english) != english}
    return f"<script>{asset('streamlit_words.js')}({json.dumps(words)})</script>" if words else ""
