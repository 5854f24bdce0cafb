"""What can be taken away of a run: its series, its samples and its report as files."""

from html import escape

import streamlit as st

from app.downloads.routes import download_address
from diagnostics.language import N_, _
from diagnostics.model.run import Run

_OFFERS = (
    (N_("Report"), ("report.html", "report.md", "report.json")),
    (N_("All points"), ("series.csv", "series.parquet", "series.jsonl")),
    (N_("Samples"), ("samples.parquet", "samples.jsonl")),
)
_WORDS = {
    "html": "HTML",
    "md": "Markdown",
    "json": "JSON",
    "csv": "CSV",
    "parquet": "Parquet",
    "jsonl": N_("JSON lines"),
}

_LINK = "color: inherit; text-decoration: underline"  # a browser's own blue cannot be read in the dark


def export_menu(run: Run) -> None:
    """Draw the button and its menu; a chart is saved where it stands."""
    with st.popover(_("Export"), type="tertiary"):
        st.html(
            "".join(_line(run, title, files) for title, files in _OFFERS if title != "Samples" or run.samples.steps)
        )
        st.caption(_("A chart is saved as PNG or SVG by the buttons above it."))


def _line(run: Run, title: str, files: tuple[str, ...]) -> str:
    links = " · ".join(_link(run, title, file) for file in files)
    return f"<p style='margin: 0 0 8px'><strong>{escape(_(title))}</strong><br>{links}</p>"


def _link(run: Run, title: str, file: str) -> str:
    words = _(_WORDS[file.rpartition(".")[2]])
    label = _("{what} as {kind}").format(what=_(title), kind=words)
    address = escape(download_address(file, run.path))
    return f'<a href="{address}" download aria-label="{escape(label)}" style="{_LINK}">{escape(words)}</a>'
