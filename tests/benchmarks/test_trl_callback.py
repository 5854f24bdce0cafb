"""The callback in real trainings of TRL, and the guide's programs for them; needs TRL (TRL_PYTHON: `make parity`)."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from diagnostics.api import diagnose, open_run
from trainer.tasks import get_task

TRL_PYTHON = os.environ.get("TRL_PYTHON")
ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "trl_side" / "followed.py"
APART = SCRIPT.with_name("followed_apart.py")
PAGES = [ROOT / "README.md", ROOT / "docs" / "guide" / "callback.md"]
PROGRAMS = [
    (page, program) for page in PAGES for program in re.findall(r"```py\n(.*?)```", page.read_text("utf-8"), re.S)
]
MOST_STEPS = 600  # in which a run of these that is not stopped ends
SICK = "truncation-high"  # what answers of three tokens are
SECONDS = 300
BEFORE = """
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig

model = AutoModelForCausalLM.from_pretrained({checkpoint!r})
tokenizer = AutoTokenizer.from_pretrained({checkpoint!r}, padding_side="left")
dataset = Dataset.from_list([{{"prompt": f"{{n}}+{{n}}="}} for n in range(10, 26)])
args = GRPOConfig("out", max_steps=3, logging_steps=1, per_device_train_batch_size=8, num_generations=4,
                  max_completion_length=4, use_cpu=True, bf16=False, save_strategy="no", disable_tqdm=True)
def reward(completions, **columns):
    return [-float(len(text)) for text in completions]
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TRL_PYTHON, reason="needs an environment with TRL: make parity"),
]


def run_with_trl(folder: Path, *words: str) -> str:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(TRL_PYTHON), *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.mark.parametrize("algorithm", ["grpo", "rloo"])
def test_a_sick_training_of_trl_is_followed_with_its_samples_and_stopped(tmp_path: Path, algorithm: str) -> None:
    folder = tmp_path / "out"
    words = (str(get_task("addition").checkpoint), str(folder), algorithm, str(MOST_STEPS), SICK)
    said = run_with_trl(tmp_path, str(SCRIPT), *words)
    run = open_run(folder)
    last = run.last_step or 0
    assert 0 < last < MOST_STEPS
    assert (run.path, run.producer, run.algorithm, run.status.state) == (
        folder / "rlvitals",
        "trl",
        algorithm,
        "stopped",
    )
    assert run.status.total == MOST_STEPS
    assert run.series["reward"].steps.tolist() == list(range(1, last + 1))
    assert run.samples.steps == tuple(range(1, last + 1))
    assert [sample.group for sample in run.samples.at(1)] == [0] * 4 + [1] * 4
    assert all(sample.score == -len(sample.response) for sample in run.samples.at(last))
    assert SICK in {outcome.rule for outcome in diagnose(run).fired}
    assert re.search(rf"stopped for '[\w-]+, \w+' at step {last}", said)
    assert re.search("rlvitals: (WARNING|CRITICAL) out: ", said)
    state = json.loads((folder / f"checkpoint-{last}" / "trainer_state.json").read_text("utf-8"))
    assert state["global_step"] == last


def test_a_sick_training_of_two_processes_is_stopped_in_both_after_the_same_step(tmp_path: Path) -> None:
    launch = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(SCRIPT))
    said = run_with_trl(tmp_path, *launch, str(get_task("addition").checkpoint), "out", "grpo", str(MOST_STEPS), SICK)
    run = open_run(tmp_path / "out")
    last = run.last_step or 0
    assert (0 < last < MOST_STEPS, run.status.state) == (True, "stopped")
    assert said.count(f"at step {last}") == 2
    assert len(run.samples.at(last)) == 2 * 8
    assert (tmp_path / "out" / f"checkpoint-{last}").is_dir()


@pytest.mark.parametrize(
    ("trainer", "algorithm", "metric"),
    [("async-grpo", "grpo", "reward"), ("online-dpo", "online-dpo", "score"), ("ppo", "ppo", "score")],
)
def test_a_trainer_apart_is_followed_to_its_end(tmp_path: Path, trainer: str, algorithm: str, metric: str) -> None:
    module = f"trl.experimental.{trainer.replace('-', '_')}"
    if subprocess.run([str(TRL_PYTHON), "-c", f"import {module}"], capture_output=True, check=False).returncode:
        pytest.skip(f"this TRL has no {module}")
    said = run_with_trl(tmp_path, str(APART), str(get_task("addition").checkpoint), "out", trainer, "4")
    assert "ended at step 4" in said
    run = open_run(tmp_path / "out")
    assert (run.producer, run.algorithm, run.status.state, run.status.total) == ("trl", algorithm, "finished", 4)
    assert run.series[metric].steps.tolist() == [1, 2, 3, 4]
    assert run.series[metric].finite.all()


@pytest.mark.parametrize(("page", "program"), PROGRAMS, ids=[page.stem for page, _ in PROGRAMS])
def test_a_program_of_the_guide_trains_with_trl_as_printed(page: Path, program: str, tmp_path: Path) -> None:
    checkpoint = str(get_task("addition").checkpoint)
    run_with_trl(tmp_path, "-c", BEFORE.format(checkpoint=checkpoint) + program)
    run = open_run(tmp_path / "out")
    assert (run.producer, run.last_step, run.status.state) == ("trl", 3, "finished")
