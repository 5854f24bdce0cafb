"""How the parts of a text are joined in the current language: lists, clauses, sentences, labels, remarks."""

from collections.abc import Iterable

from diagnostics.language import pgettext

_FULL_WIDTH_ENDS = ("。", "；", "：", "？", "！", "）", "”")  # they bring their own room


def listed(items: Iterable[str]) -> str:
    """The items of a list: "a, b, c"."""
    return pgettext("between the items of a list", ", ").join(items)


def clauses(items: Iterable[str]) -> str:
    """The clauses of a sentence, or longer items of a list: "a; b"."""
    return pgettext("between clauses", "; ").join(items)


def sentences(parts: Iterable[str]) -> str:
    """One after the other what is not empty: a blank between, but where a full-width sign ends the former."""
    said = ""
    for part in filter(None, parts):
        said += part if not said or said.endswith(_FULL_WIDTH_ENDS) else f" {part}"
    return said


def labelled(label: str, text: str) -> str:
    """A text behind what it is about: "label: text"."""
    return pgettext("a label and its text", "{label}: {text}").format(label=label, text=text)


def bracketed(text: str) -> str:
    """A remark in brackets: "(text)"; empty for none."""
    return pgettext("a remark in brackets", "({text})").format(text=text) if text else ""


def with_remark(text: str, remark: str) -> str:
    """A text and a remark in brackets: "text (remark)"; without a remark the text alone."""
    if not remark:
        return text
    return pgettext("a text and a remark", "{text} ({remark})").format(text=text, remark=remark)
