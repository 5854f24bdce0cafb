"""Tests of names files: the metrics of an unknown trainer are mapped as its user specifies."""

import json
from pathlib import Path

import pytest

from diagnostics.api import UnreadableRun, diagnose, open_run
from diagnostics.cli import main
from diagnostics.producers.names_file import NamesError, names_above, read_names

NAMES = """
[run]
producer = "my-trainer"
algorithm = "grpo"

[metrics]
"opt/kl" = "kl_per_token"
"opt/neg_entropy" = { metric = "entropy_per_token", negate = true }
"reward_pct" = { metric = "reward", scale = 0.01 }
"never/logged" = "loss"
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "a"
    folder.mkdir(parents=True)
    rows = [
        {"step": step, "opt/kl": 0.01, "opt/neg_entropy": -1.5, "reward_pct": 50.0, "train/reward_pct_2": 0.0}
        for step in range(1, 4)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "metrics.jsonl"


def names(folder: Path, text: str = NAMES) -> Path:
    file = folder / "rlvitals.toml"
    file.write_text(text)
    return file


def test_a_file_above_the_run_says_what_its_tags_are(log: Path, tmp_path: Path) -> None:
    names(tmp_path)

    run = open_run(log)

    assert (run.producer, run.algorithm) == ("my-trainer", "grpo")
    assert run.series["kl_per_token"].tag == "opt/kl"
    assert run.series["entropy_per_token"].values.tolist() == [1.5, 1.5, 1.5]
    assert run.series["reward"].values.tolist() == [0.5, 0.5, 0.5]
    assert "opt/kl as kl_per_token, opt/neg_entropy as entropy_per_token (times -1)" in run.notes[-2]
    assert run.notes[-1] == "rlvitals.toml names never/logged, which the log does not hold"
    assert not any("no log of PPO" in note for note in run.notes)


def test_what_was_named_is_judged(log: Path, tmp_path: Path) -> None:
    assert "kl-too-high" not in {item.rule for item in diagnose(open_run(log)).outcomes if item.verdict.name == "QUIET"}
    names(tmp_path)

    quiet = {item.rule for item in diagnose(open_run(log)).outcomes if item.verdict.name == "QUIET"}

    assert "nonfinite-metric" in quiet
    assert diagnose(open_run(log)).run.algorithm == "grpo"


def test_the_nearest_file_counts(log: Path, tmp_path: Path) -> None:
    names(tmp_path)
    nearer = names(log.parent, '[metrics]\n"opt/kl" = "policy_kl"\n')

    assert names_above(log) == read_names(nearer)
    assert "policy_kl" in open_run(log).series


def test_evaluation_tags_follow_their_training_tag(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 1, "eval/score_of_mine": 0.25, "score_of_mine": 0.5}\n')
    file = names(tmp_path, '[metrics]\n"score_of_mine" = "reward"\n')

    run = open_run(tmp_path / "log.jsonl", read_names(file))

    assert run.series["eval/reward"].values.tolist() == [0.25]
    assert run.series["reward"].values.tolist() == [0.5]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[metrics]\n"a" = "kl_per_tokn"\n', "did you mean 'kl_per_token'"),
        ('[metrics]\n"a" = 3\n', "a names no metric"),
        ('[metrics]\n"a" = { metric = "loss", scale = "x" }\n', "scale is a number"),
        ('[metrics]\n"a" = { metric = "loss", sign = -1 }\n', "no key of a 'sign'"),
        ('[metric]\n"a" = "loss"\n', "did you mean 'metrics'"),
        ('[run]\nalgorithm = "gpro"\n', "did you mean 'grpo'"),
        ("metrics = 1\n", r"write \[metrics\]"),
        ("a = = b\n", "is not TOML"),
    ],
)
def test_a_mistake_is_told_with_the_nearest_name(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(NamesError, match=sentence):
        read_names(names(tmp_path, text))


def test_a_mistake_in_a_file_above_a_run_is_that_runs_error(log: Path, tmp_path: Path) -> None:
    names(tmp_path, '[metrics]\n"a" = "kl_per_tokn"\n')

    with pytest.raises(UnreadableRun, match="did you mean 'kl_per_token'"):
        open_run(log)


@pytest.mark.parametrize("command", ["runs", "diagnose", "export"])
def test_every_command_that_reads_takes_a_map(
    log: Path, tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(NAMES)
    form = "jsonl" if command == "export" else "json"

    assert main([command, str(log), "--map", str(file), "--format", form]) in (0, 1)
    assert "kl_per_token" in (out := capsys.readouterr().out) or "my-trainer" in out
    assert main([command, str(log), "--map", str(tmp_path / "none.toml")]) == 2
    assert "cannot read the names file" in capsys.readouterr().err
