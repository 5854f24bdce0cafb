"""Lists within messages: parts one after the other, joined as the language joins them."""

from collections.abc import Mapping, Sequence
from functools import reduce

from diagnostics.model.messages import Message, Value

TEXTS: Mapping[str, str] = {
    "list.item": "{before}, {item}",
    "list.clause": "{before}; {item}",
    "list.alternative": "{before} or {item}",
    "list.more": "{before}, and {count} more",
}


def joined(parts: Sequence[Message | Value], how: str = "item") -> Message | Value:
    """The parts as one value of a message: an `item`, a `clause` or an `alternative` each; empty for none."""
    return reduce(lambda before, item: Message(f"list.{how}", {"before": before, "item": item}), parts) if parts else ""


def at_most(most: int, parts: Sequence[Message | Value]) -> Message | Value:
    """The first of the parts, and how many more there are."""
    told = joined(parts[:most])
    return told if len(parts) <= most else Message("list.more", {"before": told, "count": len(parts) - most})
