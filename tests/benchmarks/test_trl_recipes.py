"""The ready recipes for TRL in real trainings, from the queue to the diagnosis; needs TRL (`make parity`)."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from transformers import Qwen2Config, Qwen2ForSequenceClassification

from diagnostics.api import open_run
from trainer.launch.queue import Queue, State
from trainer.launch.queue.submitting import submit
from trainer.launch.recipes import load_recipes
from trainer.launch.relaunching import recipe_of_run, relaunch_specs
from trainer.tasks import get_task

TRL_PYTHON = os.environ.get("TRL_PYTHON")
ROOT = Path(__file__).parents[2]
READY = ROOT / "trainer" / "launch" / "recipes" / "ready"
SECONDS = 300
SMALL = {"bf16": "false", "use_cpu": "true", "per_device_train_batch_size": "8", "learning_rate": "1e-4"}
IN_GROUPS = {**SMALL, "max_steps": "3", "num_generations": "4", "max_completion_length": "4", "save_steps": "10"}
GIVEN = {
    "trl-grpo": IN_GROUPS,
    "trl-rloo": IN_GROUPS,
    "trl-ppo": {**SMALL, "total_episodes": "24", "response_length": "4", "num_ppo_epochs": "1"},
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TRL_PYTHON, reason="needs an environment with TRL: make parity"),
]


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Queue:
    """An empty queue; the recipes' scripts run in TRL's Python, and find rlvitals in the checkout."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "recipes"
    shutil.copytree(READY, folder)
    text = (folder / "recipes.toml").read_text("utf-8").replace('"{python}"', json.dumps(TRL_PYTHON))
    (folder / "recipes.toml").write_text(text.replace('["~", "."]', json.dumps([str(tmp_path)])))
    monkeypatch.setenv("RLVITALS_RECIPES", str(folder / "recipes.toml"))
    return Queue.of_user()


def prompts(folder: Path) -> str:
    rows = [{"prompt": f"{one}+{two}=", "answer": str(one + two)} for one in range(10, 18) for two in range(20, 24)]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder / "prompts.jsonl")


def reward_model(folder: Path) -> str:
    """An untrained classifier on the tokens of the addition task."""
    policy = json.loads((get_task("addition").checkpoint / "config.json").read_text("utf-8"))
    config = Qwen2Config(
        vocab_size=policy["vocab_size"],
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        num_labels=1,
        pad_token_id=policy.get("pad_token_id") or 0,
    )
    Qwen2ForSequenceClassification(config).save_pretrained(folder / "reward_model")
    return str(folder / "reward_model")


def wait_for_end(queue: Queue) -> None:
    deadline = time.monotonic() + SECONDS
    while not all(job.has_ended for job in queue.jobs()):
        assert time.monotonic() < deadline, "the jobs did not end in time"
        time.sleep(0.5)


@pytest.mark.parametrize("name", GIVEN)
def test_a_ready_recipe_trains_is_followed_and_trains_again_with_a_change(
    name: str, queue: Queue, tmp_path: Path
) -> None:
    given = {**GIVEN[name], "model": str(get_task("addition").checkpoint), "dataset": prompts(tmp_path)}
    if name == "trl-ppo":
        given["reward_model_path"] = reward_model(tmp_path)
    submit([load_recipes()[name].spec(given, tmp_path / "first", "cpu")], queue)
    wait_for_end(queue)
    (job,) = queue.jobs()
    assert (job.state, job.detail) == (State.FINISHED, ""), (queue.folder / "consoles" / "1.log").read_text()[-3000:]
    run = open_run(tmp_path / "first")
    assert (run.producer, run.algorithm, run.status.state) == ("trl", name.removeprefix("trl-"), "finished")
    assert run.last_step == 3
    found = recipe_of_run(queue, run.path)
    assert found is not None
    assert found[1].name == name

    submit(relaunch_specs(queue, run.path, [{"learning_rate": "1e-5"}]), queue)
    wait_for_end(queue)
    child = open_run(tmp_path / "first-1")
    assert (child.parent, child.config["learning_rate"]) == (run.run_id, 1e-5)
