"""Sentences as data: a message is a template's id and its values, so that a language is one table of templates."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | int | float


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence before it has a language: the id of a template and the values for its fields.

    A value may be a message itself: a part of the sentence that has a template of its own.
    """

    template: str
    values: Mapping[str, "Value | Message"] = field(default_factory=dict)


def render(message: Message, templates: Mapping[str, str]) -> str:
    """The sentence in the language of `templates` (template id → format string); numbers get three significant digits.

    Raises KeyError for an unknown id or a value that the template needs and the message lacks.
    """
    return templates[message.template].format_map(
        {
            key: render(value, templates) if isinstance(value, Message) else format_value(value)
            for key, value in message.values.items()
        }
    )


def shortened(text: str, most: int) -> str:
    """A text on one line, every blank a space, cut where it has more than `most` characters."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def format_value(value: Value) -> str:
    """A value for reading: floats with three significant digits and never in a form such as 0.30000000000000004."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{float(mantissa):g}".replace("-", "−") + f"e{int(exponent)}"
    text = f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return text.replace("-", "−")


def format_setting(value: object) -> str:
    """A configuration's value as a person types it: 0.0002 and 1e-06, because it is copied."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
