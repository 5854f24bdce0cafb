"""Tests of which texts are read as rows in a form of one's own where they also name a known trainer."""

from pathlib import Path

from diagnostics.api import find_runs, open_run
from tests.diagnostics.readers.consoles import left_for, written


def test_rows_of_a_form_of_its_own_are_read_though_a_known_trainer_failed(tmp_path: Path) -> None:
    rows = "".join(f"step {step}/500  mean_reward={-step}.5  kl={step}\n" for step in range(1, 5))
    error = (
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.11/dist-packages/trl/models/modeling_value_head.py", line 209, in generate\n'
        "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0\n"
    )
    left_for(written(tmp_path, rows + error), 1e6)

    (ref,) = find_runs(tmp_path)
    run = open_run(ref)

    assert (ref.format, run.status.state, run.status.step) == ("progress", "failed", 4)
    assert run.get("reward").values.tolist() == [-1.5, -2.5, -3.5, -4.5]
    assert "probability tensor" in (run.status.error or "")


def test_a_known_trainer_that_failed_before_its_first_row_stays_its_own(tmp_path: Path) -> None:
    error = 'Traceback (most recent call last):\n  File "/lib/trl/trainer/ppo.py", line 2, in train\nValueError: no\n'
    written(tmp_path, f"Step 1/3 loading\nStep 2/3 loss is set up\n{error}")

    (ref,) = find_runs(tmp_path)

    assert ref.format == "console"
