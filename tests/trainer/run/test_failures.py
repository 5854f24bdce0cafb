"""Error messages for failures of real runs: full disks, unwritable places, and running out of memory."""

import errno
import json
import shutil
from pathlib import Path

import pytest
import torch

from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.rewards import RewardError
from trainer.run.failures import in_words, print_failure

CONFIG = make_config("grpo", {"per_device_train_batch_size": 64, "gradient_accumulation_steps": 2})
ADVICE = (
    "lower per_device_train_batch_size (now 64) and raise gradient_accumulation_steps (now 2) by the same factor, "
    "which leaves the training as it is; with several GPUs, DeepSpeed stage 3 splits the model as well"
)


def real_cpu_shortage() -> RuntimeError:
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60)
    return caught.value


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB"), MemoryError(), real_cpu_shortage()]
)
def test_out_of_memory_gets_the_documents_advice_with_the_values_to_change(error):
    sentence = in_words(error, CONFIG, Path("runs/a"))
    assert sentence.startswith("out of memory (")
    assert sentence.endswith(ADVICE)


def test_a_full_disk_is_told_with_the_way_on():
    assert in_words(OSError(errno.ENOSPC, "No space left on device"), CONFIG, Path("runs/a")) == (
        "the disk that holds runs/a is full; free space, then go on with: rlvitals train --resume runs/a"
    )


def test_a_full_disk_that_a_library_reports_in_its_own_words_is_one_too():
    error = RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)")
    assert in_words(error, CONFIG, Path("runs/a")).startswith("the disk that holds runs/a is full")


def test_a_text_that_is_too_long_for_the_model_is_told_with_what_to_change():
    with pytest.raises(IndexError) as caught:
        torch.nn.Embedding(4, 2)(torch.tensor([4]))
    words = in_words(caught.value, CONFIG.with_changes({"max_completion_length": 99}), Path("runs/a"))
    assert "must fit into its positions together; set max_prompt_length, or fewer new tokens than 99" in words


@pytest.mark.parametrize("error", [ConfigError("give a model"), RewardError("return a number")])
def test_a_sentence_of_our_own_is_repeated_as_it_is(error):
    assert in_words(error, CONFIG, Path("runs/a")) == str(error)


def test_anything_else_keeps_its_own_words():
    assert in_words(ZeroDivisionError("division by zero"), CONFIG, Path("a")) == "ZeroDivisionError: division by zero"


def test_an_error_that_quotes_an_answer_commands_no_terminal(capsys):
    error = RewardError("no action in \x1b[2J\x1b]0;owned\x07\u202e")
    print_failure(error, str(error))
    printed = capsys.readouterr().err
    assert printed.count("␛[2J␛]0;owned␇⟨U+202E⟩") == 2
    assert not {"\x1b", "\x07", "\u202e"} & set(printed)


def test_a_training_that_fills_its_disk_says_so_and_loses_no_logged_step(training, tiny_disk):
    run = training("a")
    run.directory.symlink_to(tiny_disk / "a")
    (tiny_disk / "a").mkdir()
    code, errors = run.train("grpo", "--per_device_train_batch_size", "16", "--report_to", "none", "--max_steps", "400")
    assert code == 1
    assert "is full; free space, then go on with: rlvitals train --resume a" in run.status["error"]
    assert run.status["state"] == "failed"
    assert "No space left on device" in errors
    events = (run.directory / "events.jsonl").read_bytes()
    assert events.endswith(b"\n")
    steps = [json.loads(line)["step"] for line in events.splitlines()]
    assert steps == list(range(1, len(steps) + 1))
    samples = (run.directory / "samples.jsonl").read_bytes()
    assert {json.loads(line)["step"] for line in samples.splitlines()} >= set(steps)


def test_a_checkpoint_that_does_not_fit_leaves_none_behind(training, tiny_disk):
    run = training("a")
    run.directory.symlink_to(tiny_disk / "a")
    (tiny_disk / "a").mkdir()
    small = ("--per_device_train_batch_size", "16", "--report_to", "none", "--num_completions_to_log", "0")
    code, _ = run.train("grpo", *small, "--max_steps", "3", "--save_steps", "2")
    assert (code, run.status["state"], len(run.lines)) == (1, "failed", 2)
    assert "is full" in run.status["error"]
    assert list((run.directory / "checkpoints").iterdir()) == []
    assert shutil.disk_usage(tiny_disk).free > 0


def test_a_disk_that_is_full_after_the_model_is_told_as_well(training, small_disk):
    run = training("a")
    run.directory.symlink_to(small_disk / "a")
    (small_disk / "a").mkdir()
    code, errors = run.train("grpo", "--per_device_train_batch_size", "16", "--max_steps", "1", "--report_to", "none")
    assert (code, run.status["state"]) == (1, "failed")
    assert "is full; free space, then go on with: rlvitals train --resume a" in run.status["error"], errors
    assert list((run.directory / "checkpoints").iterdir()) == []


def test_memory_that_a_reward_runs_out_of_gets_the_advice_too():
    error = RewardError("reward function big raised MemoryError")
    error.__cause__ = MemoryError()
    assert in_words(error, CONFIG, Path("runs/a")) == f"reward function big raised MemoryError; {ADVICE}"


def test_a_read_only_place_is_refused_before_anything_is_loaded(training, read_only_disk):
    code, errors = training("a").run("grpo", "--report_to", "none", "--run_dir", str(read_only_disk / "a"))
    assert code == 2
    assert "cannot write a run to" in errors
    assert "Read-only file system" in errors
