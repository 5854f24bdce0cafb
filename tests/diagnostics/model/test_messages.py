"""Tests of messages: human-readable numbers, and templates as the only place for wording."""

import math

import pytest

from diagnostics.model.messages import Message, format_setting, format_value, render


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (0.94234, "0.942"),
        (12.64, "12.6"),
        (4460.4, "4460"),
        (99999.6, "100000"),
        (0.0, "0"),
        (-1.25, "−1.25"),
        (5e-06, "5e-6"),
        (7.5e6, "7.5e6"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (23, "23"),
        ("reward", "reward"),
    ],
)
def test_a_number_is_shown_with_three_significant_digits(value: float | str, text: str) -> None:
    assert text == format_value(value)


def test_the_same_message_speaks_the_language_of_its_table() -> None:
    message = Message("peak", {"value": 4.6, "step": 58})
    assert render(message, {"peak": "peak {value} at step {step}"}) == "peak 4.6 at step 58"
    assert render(message, {"peak": "第 {step} 步达到 {value}"}) == "第 58 步达到 4.6"


def test_an_unknown_template_is_an_error_not_an_empty_sentence() -> None:
    with pytest.raises(KeyError):
        render(Message("absent"), {})


def test_a_setting_is_shown_as_a_person_types_it() -> None:
    assert [format_setting(value) for value in (2e-4, 7e-5, 1.0, 26, "eos", None)] == [
        "0.0002",
        "7e-05",
        "1",
        "26",
        "eos",
        "None",
    ]
