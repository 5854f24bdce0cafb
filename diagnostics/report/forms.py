"""The forms that a report can take, each in a module that is imported when it is asked for."""

import importlib
from collections.abc import Mapping

from diagnostics.report.report import Report
from diagnostics.report.terminal import Style

FORMS: Mapping[str, str] = {
    "text": "diagnostics.report.text",
    "json": "diagnostics.report.json",
    "markdown": "diagnostics.report.markdown",
    "html": "diagnostics.report.html.page",
}
"""Form → the module whose `render(report, style)` writes it."""


def rendered(report: Report, form: str, style: Style | None = None) -> str:
    """The report in one of FORMS; only text heeds the style."""
    text: str = importlib.import_module(FORMS[form]).render(report, style or Style())
    return text
