"""A verdict in the HTML form: a shape and a word, never a colour alone."""

from diagnostics.report.html.elements import Markup, element
from diagnostics.wording.severities import VERDICT_SHAPES, verdict_word


def sign(verdict: str) -> Markup:
    """A verdict as a shape and a word, never by colour alone."""
    return element("span", f"{VERDICT_SHAPES.get(verdict, '○')} {verdict_word(verdict)}", class_=f"sign {verdict}")
