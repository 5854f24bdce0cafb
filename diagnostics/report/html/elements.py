"""HTML and SVG elements that escape every text, whoever wrote it."""

import html
from collections.abc import Iterable, Sequence

_EMPTY_ELEMENTS = frozenset({"meta", "br", "hr"})


class Markup(str):
    """Text that is HTML already. Only `element` and `joined` create it, so that no text becomes markup by accident."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | float) -> Markup:
    """An element; children that are not Markup are escaped.

    Attribute names: an underscore becomes a hyphen and a trailing one is dropped, as in `stroke_width` and `class_`.
    """
    start = "".join(f' {_attribute(key)}="{html.escape(str(value))}"' for key, value in attributes.items())
    if name in _EMPTY_ELEMENTS:
        return Markup(f"<{name}{start}>")
    return Markup(f"<{name}{start}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Markup:
    """The children in sequence, those that are not Markup escaped."""
    return Markup(
        "".join(child if isinstance(child, Markup) else html.escape(child, quote=False) for child in children)
    )


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], **attributes: str | float) -> Markup:
    """A table with a header row."""
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    body = (element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element("table", element("thead", head), element("tbody", *body), **attributes)


def collapsible(title: str, *children: str) -> Markup:
    """A section that is closed until the reader opens it; needs no script."""
    return element("details", element("summary", title), *children)


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")
