"""Probing an untrained policy, with a real model in a real process."""

import pytest

from diagnostics.configs.dry_run import TrialError, probe_policy
from diagnostics.model.setup import Probe

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def of_addition() -> Probe:
    return probe_policy("grpo", {"task": "addition", "max_completion_length": 6})


def test_thirty_two_answers_get_four_times_the_room(of_addition: Probe) -> None:
    assert (len(of_addition.lengths), of_addition.room) == (32, 24)
    assert 0 < min(of_addition.lengths) <= max(of_addition.lengths) <= 24


def test_answers_are_longer_than_a_limit_that_is_too_short(of_addition: Probe) -> None:
    assert sum(length > 6 for length in of_addition.lengths) > 6


def test_what_cannot_be_probed_is_told_in_one_sentence() -> None:
    with pytest.raises(TrialError, match="model"):
        probe_policy("grpo", {"task": "addition", "model_name_or_path": "no/such/model"})
