"""Evaluations of a real run: its requests, references and win rates."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForSequenceClassification

from tests.trainer.forked import run_forked
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.evaluate.arguments import read_request
from trainer.evaluate.completions import answers_of, reference_column, references_in
from trainer.evaluate.win_rates import LIKELIEST, evaluate
from trainer.rollout.models import load_policy, load_tokenizer
from trainer.tasks import get_task


def checkpointed(folder: Path, algorithm: str, task: str, *steps: int, **values: Any) -> Path:
    """A run whose checkpoints are the demo task's own model."""
    folder.mkdir(parents=True)
    config = make_config(algorithm, {"task": task, "num_threads": 1, "use_cpu": True, **values})
    described = {"run_id": folder.name, "algorithm": algorithm, "config": config.to_dict()}
    (folder / "run.json").write_text(json.dumps(described))
    source = get_task(task).checkpoint
    for step in steps:
        for part in (load_policy(source), load_tokenizer(source)):
            part.save_pretrained(folder / "checkpoints" / f"step-{step}")
    return folder


@pytest.fixture(scope="module")
def addition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "addition"
    return checkpointed(folder, "grpo", "addition", 2, 10, max_completion_length=26)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty real steps of the addition demo."""
    folder = tmp_path_factory.mktemp("runs") / "trained"
    words = ("train", "grpo", "--max_steps", "30", "--report_to", "none", "--run_dir", str(folder))
    run_forked(folder.parent, *words).check_returncode()
    return folder


def evaluated(*words: str | Path) -> dict[str, Any]:
    return evaluate(read_request([str(word) for word in words]))


@pytest.mark.process
def test_training_raises_the_win_rate_against_the_right_answers(trained: Path) -> None:
    found = evaluated(trained, "--judge", "reward:addition_accuracy")
    starting, after = found["results"]
    assert (found["step"], found["prompts"], found["reference"]) == (30, 496, "column answer")
    assert [each["policy"] for each in found["results"]] == ["starting", "trained"]
    assert starting["win_rate"] < after["low"]
    assert starting["wins"] == after["wins"] == 0  # nothing beats the right answer


@pytest.mark.process
def test_the_trained_policy_beats_the_starting_one_directly(trained: Path) -> None:
    words = ("--judge", "reward:addition_accuracy", "--against", "reference-model", "--limit", "200")
    (found,) = evaluated(trained, *words)["results"]
    assert (found["policy"], found["against"]) == ("trained", "starting")
    assert found["low"] > 0.5


def test_two_runs_with_the_same_weights_tie_everywhere(addition: Path, tmp_path: Path) -> None:
    other = checkpointed(tmp_path / "other", "grpo", "addition", 1, max_completion_length=26)
    words = ("--judge", "reward:addition_accuracy", "--against", str(other), "--limit", "32")
    (found,) = evaluated(addition, *words)["results"]
    assert (found["against"], found["identical"], found["win_rate"]) == (str(other), 32, 0.5)


def test_a_seed_gives_the_same_answers_again_and_the_likeliest_ones_need_none(addition: Path) -> None:
    words = (addition, "--judge", "reward:addition_accuracy", "--limit", "64")
    sampled = [evaluated(*words, "--seed", seed)["results"][0]["ties"] for seed in ("1", "1", "2")]
    greedy = [evaluated(*words, "--temperature", "0", "--seed", seed)["results"][0]["ties"] for seed in ("1", "2")]
    assert sampled[0] == sampled[1] != sampled[2]
    assert greedy[0] == greedy[1]


def test_a_reward_model_judges_the_answers_as_it_scores_them(addition: Path, tmp_path: Path) -> None:
    source = get_task("addition").checkpoint
    torch.manual_seed(0)  # the classifier's head is new
    AutoModelForSequenceClassification.from_pretrained(source, num_labels=1).save_pretrained(tmp_path)
    load_tokenizer(source).save_pretrained(tmp_path)
    (contest, again) = evaluated(addition, "--judge", f"reward_model:{tmp_path}", "--limit", "32")["results"]
    assert (contest["judged"], contest["inconsistent"], contest["unjudged"]) == (32, 0, 0)
    assert contest["wins"] > 0
    assert contest["losses"] > 0
    assert contest["wins"] == again["wins"]  # both policies are the same model


def test_what_goes_on_is_told_on_stderr(addition: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(addition, "--judge", "reward:addition_accuracy", "--limit", "8")
    assert capsys.readouterr().err.splitlines() == [
        f"{addition / 'checkpoints' / 'step-10'}: answers to 8 prompts",
        "starting policy: answers to 8 prompts",
    ]


def test_the_remarks_have_the_likeliest_answer_of_the_starting_policy_as_reference(tmp_path: Path) -> None:
    run = checkpointed(tmp_path / "remarks", "ppo", "remarks", 1, response_length=14)
    found = evaluated(run, "--judge", "reward:remark_positivity", "--temperature", "0")
    assert found["reference"] == LIKELIEST
    assert [each["identical"] for each in found["results"]] == [found["prompts"]] * 2


def test_a_dataset_without_reference_answers_is_refused_with_what_else_there_is(tmp_path: Path) -> None:
    (tmp_path / "held_out.jsonl").write_text('{"prompt": "1+1="}\n')
    values = {"eval_dataset": str(tmp_path / "held_out.jsonl"), "max_completion_length": 8}
    run = checkpointed(tmp_path / "run", "grpo", "addition", 1, **values)
    with pytest.raises(ConfigError, match="name their column with --reference_column, or compare with --against"):
        evaluated(run, "--judge", "reward:length")
    assert evaluated(run, "--judge", "reward:length", "--against", "reference-model")["prompts"] == 1


def prompts_file(path: Path, *prompts: str) -> str:
    path.write_text("".join(json.dumps({"prompt": prompt}) + "\n" for prompt in prompts))
    return str(path)


@pytest.fixture
def trained_on_a_file(tmp_path: Path) -> Path:
    dataset = prompts_file(tmp_path / "prompts.jsonl", "1+1=", "2+2=")
    return checkpointed(tmp_path / "run", "grpo", "addition", 1, dataset=dataset, max_completion_length=8)


LENGTHS = ("--judge", "reward:length", "--against", "reference-model")


def test_a_run_trained_on_a_file_is_judged_on_an_eval_dataset_named_then(
    trained_on_a_file: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="name an eval_dataset"):
        evaluated(trained_on_a_file, *LENGTHS)
    held = prompts_file(tmp_path / "held.jsonl", "3+3=", "4+4=", "5+5=")
    found = evaluated(trained_on_a_file, *LENGTHS, "--eval_dataset", held)
    assert (found["prompts"], found["left_out"], found["is_verified"]) == (3, 0, True)


def test_an_eval_dataset_takes_the_place_of_the_one_that_the_run_has(addition: Path, tmp_path: Path) -> None:
    held = tmp_path / "held.csv"
    held.write_text("prompt,answer\n1+1=,2\n")
    found = evaluated(addition, "--judge", "reward:addition_accuracy", "--eval_dataset", str(held))
    assert (found["prompts"], found["reference"]) == (1, "column answer")


def test_prompts_that_were_trained_on_are_left_out_before_the_first_are_taken(
    trained_on_a_file: Path, tmp_path: Path
) -> None:
    held = prompts_file(tmp_path / "held.jsonl", "1+1=", "3+3=", "2+2=", "4+4=", "5+5=")
    found = evaluated(trained_on_a_file, *LENGTHS, "--eval_dataset", held, "--limit", "2")
    assert (found["prompts"], found["left_out"]) == (2, 2)


def test_an_eval_dataset_of_the_run_itself_is_compared_with_its_training_rows_too(tmp_path: Path) -> None:
    values = {
        "dataset": prompts_file(tmp_path / "prompts.jsonl", "1+1=", "2+2="),
        "eval_dataset": prompts_file(tmp_path / "held.jsonl", "2+2=", "3+3="),
    }
    run = checkpointed(tmp_path / "run", "grpo", "addition", 1, **values, max_completion_length=8)
    found = evaluated(run, *LENGTHS)
    assert (found["prompts"], found["left_out"]) == (1, 1)


def test_prompts_that_the_run_compared_with_was_trained_on_are_left_out_as_well(
    addition: Path, trained_on_a_file: Path, tmp_path: Path
) -> None:
    held = prompts_file(tmp_path / "held.jsonl", "1+1=", "3+3=")
    words = (addition, "--judge", "reward:length", "--against", trained_on_a_file, "--eval_dataset", held)
    found = evaluated(*words)
    assert (found["prompts"], found["left_out"]) == (1, 1)


def test_an_evaluation_without_a_single_new_prompt_is_refused(trained_on_a_file: Path, tmp_path: Path) -> None:
    held = prompts_file(tmp_path / "held.jsonl", "2+2=", "1+1=", "2+2=")
    with pytest.raises(ConfigError, match=r"held.jsonl is held out: all 3 stand in the training rows of .*run; name a"):
        evaluated(trained_on_a_file, *LENGTHS, "--eval_dataset", held)


def test_training_rows_that_cannot_be_read_leave_the_prompts_unverified(
    trained_on_a_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = prompts_file(tmp_path / "held.jsonl", "1+1=")
    (tmp_path / "prompts.jsonl").write_text("no JSON\n")
    found = evaluated(trained_on_a_file, *LENGTHS, "--eval_dataset", held)
    assert (found["prompts"], found["left_out"], found["is_verified"]) == (1, 0, False)
    assert "was trained on these prompts cannot be told: line 1 of the dataset" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("algorithm", "values"), [("grpo", {"max_completion_length": 12}), ("ppo", {"response_length": 12})]
)
def test_answers_end_at_the_token_that_the_run_was_trained_with(algorithm: str, values: dict[str, Any]) -> None:
    source = get_task("addition").checkpoint
    rows = get_task("addition").prompts("eval")[:8]

    def answers(**more: Any) -> list[str]:
        config = make_config(algorithm, {"task": "addition", "num_threads": 1, "use_cpu": True, **values, **more})
        return answers_of("model", source, config, rows, temperature=0, seed=0)

    digit = load_tokenizer(source).convert_tokens_to_ids("1")
    plain, ended_at_a_digit = answers(), answers(stop_token_id=digit)
    assert [text[: text.index("1") + 1] for text in plain if "1" in text] == [
        ended for text, ended in zip(plain, ended_at_a_digit, strict=True) if "1" in text
    ]
    assert plain != ended_at_a_digit


def test_answers_of_a_run_without_a_stop_token_go_on_to_their_limit() -> None:
    source = get_task("addition").checkpoint
    rows = get_task("addition").prompts("eval")[:8]
    values = {"task": "addition", "num_threads": 1, "use_cpu": True, "response_length": 40}
    ended, unending = (
        answers_of("model", source, make_config("ppo", {**values, **more}), rows, temperature=0, seed=0)
        for more in ({}, {"stop_token": None})
    )
    assert all(long.startswith(short) and long != short for short, long in zip(ended, unending, strict=True))


def test_the_newest_checkpoint_is_judged_unless_another_is_named(addition: Path) -> None:
    assert read_request([str(addition), "--judge", "x"]).run.step == 10
    assert read_request([str(addition), "--judge", "x", "--checkpoint", "2"]).run.step == 2
    folder = addition / "checkpoints" / "step-2"
    assert read_request([str(addition), "--judge", "x", "--checkpoint", str(folder)]).run.checkpoint == folder


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--checkpoint", "7"), r"has no checkpoint 7 \(its steps with one: 2, 10\)"),
        (("--limit", "0"), "--limit must be at least 1, but is 0"),
        (("--temperature", "-1"), "--temperature must be at least 0, but is -1"),
        (("--against", "no-such-run"), "no-such-run holds no rlvitals run"),
        (("--eval_dataset", "no.jsonl"), "the eval_dataset no.jsonl is not a file; give a JSONL"),
        (("--no_such_option",), "see 'rlvitals evaluate --help'"),
    ],
)
def test_what_cannot_be_evaluated_is_said_before_torch_is_loaded(
    addition: Path, words: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        read_request([str(addition), "--judge", "reward:length", *words])


def test_a_run_without_checkpoints_is_refused(tmp_path: Path) -> None:
    run = checkpointed(tmp_path / "run", "grpo", "addition")
    with pytest.raises(ConfigError, match=r"has no checkpoint \(looked for .*/checkpoints/step-\*\)"):
        read_request([str(run), "--judge", "reward:length"])


def test_the_reference_column_is_the_first_usual_one_that_every_row_has() -> None:
    rows = [{"prompt": "?", "answer": 3, "chosen": "c"}, {"prompt": "?", "chosen": "d"}]
    assert reference_column(rows, None) == "chosen"
    assert reference_column(rows[:1], None) == "answer"
    assert reference_column([{"prompt": "?"}], None) is None
    with pytest.raises(ConfigError, match=r"not every held-out row has the column 'answer' \(columns: answer, chosen"):
        reference_column(rows, "answer")


def test_references_are_texts_numbers_or_the_last_message_of_a_conversation() -> None:
    conversation = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Yes."}]
    rows = [{"r": "text"}, {"r": 122}, {"r": conversation}]
    assert references_in(rows, "r") == ["text", "122", "Yes."]
