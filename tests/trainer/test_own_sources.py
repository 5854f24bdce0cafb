"""Trainings on the user's own models, data and rewards, as processes."""

import json
import os
import subprocess
import sys

import pyarrow
import pytest
from pyarrow import parquet
from transformers import AutoTokenizer

from tests.trainer.forked import run_forked
from trainer.launch.arguments import read_plan
from trainer.rollout.models import load_policy
from trainer.tasks import get_task

pytestmark = pytest.mark.process

QUICK = ("--max_steps", "2", "--per_device_train_batch_size", "8", "--report_to", "none", "--learning_rate", "1e-3")
TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}{% if add_generation_prompt %}={% endif %}"
REWARDS = """
from counting import digits

async def all_digits(prompts, completions):
    assert [message["role"] for prompt in prompts for message in prompt] == ["user"] * len(prompts)
    return [digits(message["content"]) for (message,) in completions]
"""


@pytest.fixture
def own(tmp_path):
    """A folder with a conversational model, a parquet file of messages and a reward function with a sibling."""
    folder = tmp_path / "own"
    checkpoint = get_task("addition").checkpoint
    load_policy(checkpoint).save_pretrained(folder / "model")
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder / "model")
    rows = [
        {"prompt": [{"role": "user", "content": f"{n}+{n}"}], "answer": str(2 * n), "unused": [n]}
        for n in range(11, 31)
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "rows.parquet")
    (folder / "my_rewards.py").write_text(REWARDS)
    (folder / "counting.py").write_text("def digits(text):\n    return sum(map(str.isdigit, text)) / 10\n")
    return folder


def run(folder, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_forked(folder, "train", *words, **environment)


def lines_of(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("algorithm", ["ppo", "grpo"])
def test_an_adapter_learns_from_conversations_and_several_rewards_and_relaunches_from_elsewhere(
    own, algorithm, monkeypatch
):
    words = ("--model_name_or_path", "model", "--dataset", "rows.parquet", "--use_peft", "true", "--lora_r", "4")
    rewards = ("--reward_funcs", "my_rewards.py:all_digits", "numeric_match", "--reward_weights", "0.5", "1")
    limit = "--response_length" if algorithm == "ppo" else "--max_completion_length"
    done = run(own, algorithm, *QUICK, *words, *rewards, limit, "24", "--run_dir", "a")
    assert done.returncode == 0, done.stderr
    assert len(lines_of(own / "a" / "events.jsonl")) == 2
    sample = lines_of(own / "a" / "samples.jsonl")[0]
    assert sample["query"].partition("+")[0] in {str(n) for n in range(11, 31)}
    assert sample["rewards"].keys() == {"all_digits", "numeric_match"}
    checkpoint = own / "a" / "checkpoints" / "step-2"
    assert (checkpoint / "adapter_model.safetensors").is_file()
    assert load_policy(checkpoint).config.vocab_size == load_policy(own / "model").config.vocab_size

    monkeypatch.chdir(own.parent)
    again = read_plan(["--from", "own/a", "--max_steps", "1"]).config
    assert (again.model_name_or_path, again.dataset) == (str(own / "model"), str(own / "rows.parquet"))
    assert again.reward_funcs == (f"{own / 'my_rewards.py'}:all_digits", "numeric_match")


def test_a_dataset_without_reward_functions_is_told_which_reward_scores_it(tmp_path):
    (tmp_path / "sums.jsonl").write_text('{"prompt": "1+1=", "answer": "2"}\n')
    done = run(tmp_path, "grpo", *QUICK, "--dataset", "sums.jsonl", "--max_completion_length", "4", "--run_dir", "a")
    remark = (
        f"rlvitals: no reward_funcs are given, so {tmp_path / 'sums.jsonl'} is scored by addition_accuracy, "
        "the reward of the demo task addition; name others with --reward_funcs"
    )
    assert remark in done.stderr.splitlines()
    assert remark in (tmp_path / "a" / "console.log").read_text("utf-8").splitlines()


def test_a_model_on_a_hub_that_cannot_be_reached_soon_ends_the_run_with_one_sentence(tmp_path):
    closed = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "", "HF_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-P", "-m", "trainer.main", "train", "grpo", *QUICK]  # reads HF_ENDPOINT at its start
    done = subprocess.run(
        [*command, "--model_name_or_path", "someone/model", "--run_dir", "a"],
        cwd=tmp_path,
        env={**os.environ, **closed},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "http://127.0.0.1:9 cannot be reached" in done.stderr
    assert "Retrying" not in done.stderr
    assert "Traceback" not in done.stderr
    error = json.loads((tmp_path / "a" / "status.json").read_text("utf-8"))["error"]
    assert done.stderr.splitlines()[-1] == f"rlvitals: {error}"
    assert "someone/model (revision main) cannot be loaded, neither from the Hugging Face hub nor" in error


READING = """
class Reader:
    words = None

    def load(self):
        with open("words.txt") as file:
            self.words = file.read().split()

    def __call__(self, completions, **columns):
        return [sum(word in text for word in self.words) for text in completions]

reader = Reader()
"""


def test_a_reward_that_cannot_load_what_it_scores_with_ends_the_run_before_anything_is_sampled(tmp_path):
    (tmp_path / "mine.py").write_text(READING)
    reward = ("--reward_funcs", "mine.py:reader", "--max_completion_length", "4", "--num_generations", "4")
    done = run(tmp_path, "grpo", *QUICK, *reward, "--run_dir", "a")
    assert done.returncode == 1
    assert "rlvitals: reward function reader cannot be loaded: [Errno 2] No such file" in done.stderr
    assert not lines_of(tmp_path / "a" / "events.jsonl")
    (tmp_path / "words.txt").write_text("1 2")
    assert run(tmp_path, "grpo", *QUICK, *reward, "--run_dir", "b").returncode == 0
    assert len(lines_of(tmp_path / "b" / "events.jsonl")) == 2
