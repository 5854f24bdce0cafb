"""What a sick run cost, in words."""

import pytest

from diagnostics.model.cost import Cost, TrainingTime
from diagnostics.wording.costs import cost_in_short, cost_sentence

THREE_HOURS = TrainingTime(10_800, "rows", is_whole=True)
IN_PART = TrainingTime(10_800, "rows", is_whole=False)


@pytest.mark.parametrize(
    ("cost", "sentence", "short"),
    [
        (Cost(12, 143, True), "After step 12 it ran for 131 steps.", "131 steps"),
        (Cost(12, 13, True), "After step 12 it ran for 1 step.", "1 step"),
        (Cost(12, 52, False), "After step 12 this held for 40 steps.", "40 steps"),
        (Cost(12, 143, True, THREE_HOURS), "After step 12 it ran for 131 steps: 3 h.", "3 h"),
        (Cost(12, 143, True, IN_PART), "After step 12 it ran for 131 steps: at least 3 h.", "at least 3 h"),
        (Cost(12, 143, True, THREE_HOURS, 0), "After step 12 it ran for 131 steps: 3 h.", "3 h"),
        (
            Cost(12, 143, True, THREE_HOURS, 8),
            "After step 12 it ran for 131 steps: 3 h, 24 GPU-hours on 8 GPUs.",
            "24 GPU-hours",
        ),
        (
            Cost(12, 143, True, IN_PART, 1),
            "After step 12 it ran for 131 steps: at least 3 h, 3 GPU-hours on 1 GPU.",
            "at least 3 GPU-hours",
        ),
        (Cost(12, 143, True, None, 8), "After step 12 it ran for 131 steps.", "131 steps"),
    ],
)
def test_it_says_what_is_known_and_no_more(cost: Cost, sentence: str, short: str) -> None:
    assert (cost_sentence(cost), cost_in_short(cost)) == (sentence, short)


def test_no_cost_is_no_word() -> None:
    assert cost_in_short(None) == ""
