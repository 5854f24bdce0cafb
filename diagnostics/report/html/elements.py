"""HTML and SVG elements that escape every text, whoever wrote it."""

import html
from collections.abc import Iterable, Sequence

from diagnostics.visible_text import one_line, visible

_EMPTY_ELEMENTS = frozenset({"meta", "br", "hr"})


class Markup(str):
    """Text that is HTML already. Only this module makes it of text that it does not know."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | float) -> Markup:
    """An element; children that are not Markup are escaped, each as one line.

    Attribute names: an underscore becomes a hyphen and a trailing one is dropped, as in `stroke_width` and `class_`.
    """
    start = "".join(f' {_attribute(key)}="{html.escape(one_line(str(value)))}"' for key, value in attributes.items())
    if name in _EMPTY_ELEMENTS:
        return Markup(f"<{name}{start}>")
    return Markup(f"<{name}{start}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Markup:
    """The children in sequence, those that are not Markup escaped, each as one line."""
    return Markup("".join(child if isinstance(child, Markup) else _escaped(one_line(child)) for child in children))


def block(text: str) -> Markup:
    """Text that keeps its line ends, for a `pre`."""
    return Markup(_escaped(visible(text)))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], **attributes: str | float) -> Markup:
    """A table with a header row."""
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    body = (element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element("table", element("thead", head), element("tbody", *body), **attributes)


def collapsible(title: str, *children: str) -> Markup:
    """A section that is closed until the reader opens it; needs no script."""
    return element("details", element("summary", title), *children)


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")
