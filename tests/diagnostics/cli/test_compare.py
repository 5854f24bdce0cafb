"""`rlvitals compare`: runs side by side in the terminal."""

import json
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"


def test_two_runs_are_compared_with_the_first(rlvitals) -> None:
    done = rlvitals("compare", SAMPLES / "healthy-grpo", SAMPLES / "cut-off", "--format", "json")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert [(run["letter"], run["name"], run["verdict"]) for run in document["runs"]] == [
        ("A", "healthy-grpo", "healthy"),
        ("B", "cut-off", "critical"),
    ]
    assert "max_completion_length" in [row["argument"] for row in document["settings"]["differing"]]


def test_the_text_fits_a_pipe_and_names_the_step_asked_for(rlvitals) -> None:
    done = rlvitals("compare", SAMPLES / "healthy-grpo", SAMPLES / "cut-off", "--step", "20")
    assert "A  healthy-grpo  baseline" in done.stdout
    assert "Reward at step 20" in done.stdout


def test_a_run_that_cannot_be_read_does_not_take_the_others_down(rlvitals, tmp_path: Path) -> None:
    done = rlvitals("compare", SAMPLES / "cut-off", tmp_path / "nowhere", SAMPLES / "healthy-grpo", "--format", "json")
    document = json.loads(done.stdout)
    assert done.returncode == 2
    assert [run["name"] for run in document["runs"]] == ["cut-off", "healthy-grpo"]
    assert [Path(error["path"]).name for error in document["errors"]] == ["nowhere"]
    assert "nowhere" in done.stderr


def test_one_run_alone_is_refused_in_a_sentence(rlvitals, healthy_run: Path) -> None:
    done = rlvitals("compare", healthy_run, healthy_run)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a comparison needs two runs that can be read, and there is one; name another one" in done.stderr


def test_more_than_twenty_runs_are_refused_in_a_sentence(rlvitals, grpo_run, tmp_path: Path) -> None:
    for index in range(21):
        grpo_run(tmp_path / "runs" / f"run-{index}", truncated=0.02)
    done = rlvitals("compare", tmp_path / "runs")
    assert done.returncode == 2
    assert "these paths hold more than 20 runs" in done.stderr
