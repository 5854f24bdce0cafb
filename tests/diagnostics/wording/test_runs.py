"""A run in a line."""

from dataclasses import replace

import pytest

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.wording.runs import data_line, run_line, training_kind


def test_a_run_that_died_says_when_it_last_lived(broken_critic: Diagnosis) -> None:
    run = broken_critic.run
    status = replace(run.status, state="died", step=20, total=50, last_written=run.observed_at - 720)
    died = replace(broken_critic, run=replace(run, status=status))
    assert run_line(died.run) == "ppo · rlvitals 0.1.0 · died, last written 12 min ago · step 20 of 50"


def test_the_data_line_leaves_out_what_is_zero(broken_critic: Diagnosis) -> None:
    assert data_line(broken_critic.run.data_health) == "40 points · 10 NaN"


@pytest.mark.parametrize(
    ("algorithm", "producer", "expected"),
    [
        ("grpo", "trl", ("GRPO", "trl")),
        ("grpo", "unknown", ("GRPO", "unknown trainer")),
        ("unknown", "trl", ("algorithm unknown", "trl")),
        ("unknown", "unknown", ("unknown trainer",)),
    ],
)
def test_what_is_not_known_of_a_training_is_said_once(algorithm: str, producer: str, expected: tuple[str, ...]) -> None:
    assert training_kind(algorithm, producer) == expected
