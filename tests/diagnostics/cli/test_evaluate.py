"""Tests of `rlvitals evaluate`: a real run, judged by a user's own function, in every form of output."""

from pathlib import Path

from tests.published_schemas import published

TINY = ("--max_steps", "1", "--per_device_train_batch_size", "16", "--report_to", "none")


def test_a_run_is_trained_and_judged_in_every_form(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("def better(prompt, a, b):\n    return 'a' if len(a) < len(b) else 'b'\n")
    assert rlvitals("train", "grpo", *TINY, "--run_dir", "a").returncode == 0
    words = ("evaluate", "a", "--judge", "judge.py:better", "--limit", "16", "--temperature", "0")

    text = rlvitals(*words)
    assert text.returncode == 0, text.stderr
    assert "a, checkpoint a/checkpoints/step-1: 16 held-out prompts, answers greedy, judged by judge.py:better." in (
        text.stdout
    )
    assert "The dataset's answers: column answer." in text.stdout
    assert "Policy    Against  Win rate  95 % interval" in text.stdout
    assert "Losses  Identical  Judged" in text.stdout
    assert "left out" not in text.stdout

    rlvitals(*words, "--format", "json", "--output", "found.json")
    found = published((tmp_path / "found.json").read_text(), "evaluate")
    assert [result["policy"] for result in found["results"]] == ["starting", "trained"]
    assert all(result["judged"] + result["unjudged"] == 16 for result in found["results"])
    assert "| starting | dataset |" in rlvitals(*words, "--format", "markdown").stdout


def test_prompts_left_out_are_counted_in_a_sentence(rlvitals, tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_text('{"prompt": "1+1="}\n')
    (tmp_path / "held.jsonl").write_text('{"prompt": "1+1="}\n{"prompt": "2+2="}\n')
    data = ("--dataset", "prompts.jsonl", "--reward_funcs", "length")
    assert rlvitals("train", "grpo", *TINY, *data, "--run_dir", "a").returncode == 0
    words = ("--judge", "reward:length", "--against", "reference-model", "--eval_dataset", "held.jsonl")

    text = rlvitals("evaluate", "a", *words)
    assert text.returncode == 0, text.stderr
    assert ": 1 held-out prompts, " in text.stdout
    assert "Prompts left out, since they stand in the training rows as well: 1." in text.stdout

    (tmp_path / "prompts.jsonl").write_text("no JSON\n")
    unverified = rlvitals("evaluate", "a", *words)
    assert ": 2 prompts, which may have been trained on, " in unverified.stdout


def test_a_folder_without_a_run_is_refused_in_one_sentence(rlvitals) -> None:
    refused = rlvitals("evaluate", "nowhere", "--judge", "reward:length")
    assert refused.returncode == 2
    assert refused.stderr.startswith("rlvitals: nowhere holds no rlvitals run")
    assert refused.stdout == ""


def test_help_tells_the_judges_and_the_options_of_the_output(rlvitals) -> None:
    told = rlvitals("evaluate", "--help")
    assert told.returncode == 0
    assert "openai:MODEL" in told.stdout
    assert "--format text|json|markdown" in told.stdout
