"""Numbers carry their units; settings are written as they are typed."""

import pytest

from diagnostics.wording.values import setting_text, value_with_unit


@pytest.mark.parametrize(
    ("value", "unit", "words"), [(0.95, "fraction", "95 %"), (2.0, "ratio", "2"), (0.2, "nats/token", "0.2 nats/token")]
)
def test_a_number_carries_its_unit(value: float, unit: str, words: str) -> None:
    assert value_with_unit(value, unit) == words


def test_a_setting_is_said_as_a_person_types_it() -> None:
    assert [setting_text(value) for value in (2e-4, ["accuracy", "brevity"], 26, "eos")] == [
        "0.0002", "accuracy, brevity", "26", "eos"
    ]  # fmt: skip
