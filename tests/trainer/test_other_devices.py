"""Trains on a device that is not the CPU: nothing assumes its tensors to be on the CPU."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from transformers import CONFIG_MAPPING, AutoModelForCausalLM

from tests.trainer.clocks import CLOCKS
from tests.trainer.forked import run_forked
from tests.trainer.tiny_models import SHAPES
from trainer.rollout.models import load_tokenizer
from trainer.tasks import get_task

pytestmark = pytest.mark.process

FAR = Path(__file__).with_name("far_device.py")
SHORT = ("--max_steps", "2", "--report_to", "none", "--save_strategy", "no", "--num_threads", "1")
SMALL = ("--per_device_train_batch_size", "16", "--histogram_steps", "1", "--num_sample_generations", "1")
GRPO = ("grpo", "--beta", "0.04", "--num_iterations", "2", "--num_generations", "8", *SHORT, *SMALL)
PPO = ("ppo", "--num_mini_batches", "2", "--num_ppo_epochs", "2", "--reward_baseline", "query", *SHORT, *SMALL)


def train_there(words: list[str]) -> int:
    """Train on the other device, which torch gets to know in this process alone."""
    from tests.trainer.far_device import main  # noqa: PLC0415 - not in the process of the tests

    return main(words)


def train_far(run, *words):
    """Train on the other device in a process of its own, into the place of a run."""
    done = run_forked(run.directory.parent, *words, "--run_dir", run.directory.name, program=train_there)
    assert done.returncode == 0, done.stderr


def write_bloom(folder: Path) -> Path:
    """A model that would read padding, with the tokenizer of a task whose prompts differ in length."""
    kind, shape = SHAPES["bloom-without-positions"]
    tokenizer = load_tokenizer(get_task("remarks").checkpoint)
    AutoModelForCausalLM.from_config(CONFIG_MAPPING[kind](vocab_size=len(tokenizer), **shape)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("words", [GRPO, PPO], ids=["grpo", "ppo"])
@pytest.mark.parametrize("reads_padding", [False, True], ids=["the demo model", "a model that reads padding"])
def test_another_device_learns_what_the_cpu_does(training, tmp_path, words, reads_padding):
    if reads_padding:
        limit = "--max_completion_length" if words is GRPO else "--response_length"
        model = str(write_bloom(tmp_path / "bloom"))
        words = (*words, "--task", "remarks", "--model_name_or_path", model, limit, "8")
    near, far = training("near"), training("far")
    assert near.train(*words)[0] == 0
    train_far(far, *words)
    for here, there in zip(near.lines, far.lines, strict=True):
        assert here["metrics"].keys() == there["metrics"].keys()
        for name in here["metrics"].keys() - CLOCKS:
            assert there["metrics"][name] == pytest.approx(here["metrics"][name], rel=1e-3, abs=1e-5), name
    assert [row["response"] for row in far.samples] == [row["response"] for row in near.samples]


@pytest.mark.parametrize(
    "words",
    [
        (*GRPO, "--mixed_precision", "bf16"),
        (*GRPO, "--mixed_precision", "bf16", "--rollout_engine", "separate", "--rollout_dtype", "float8_e4m3fn"),
        (*GRPO, "--dtype", "bfloat16", "--gradient_checkpointing", "true"),
        (*PPO, "--mixed_precision", "bf16", "--use_peft", "true"),
    ],
    ids=["grpo", "grpo with an engine apart", "grpo in bf16 throughout", "ppo with an adapter"],
)
def test_another_device_trains_in_bf16(training, words):
    far = training("far")
    train_far(far, *words)
    assert [row["step"] for row in far.lines] == [1, 2]
    assert all(math.isfinite(value) for row in far.lines for value in row["metrics"].values())
    assert all(row["metrics"]["grad_norm"] > 0 for row in far.lines)


def test_what_mixes_both_devices_is_refused(training):
    """The device itself: what a reward returned from it, say, would fail on a GPU too."""
    script = (
        "import torch, sys\n"
        f"sys.path.insert(0, {str(FAR.parent)!r})\n"
        "import far_device\n"
        "far_device.install()\n"
        "with far_device.OnFar():\n"
        "    far = torch.ones(3, device='far')\n"
        "    assert str((far + torch.tensor(2.0)).device) == 'far:0'\n"
        "    assert (far * 2).to('cpu').tolist() == [2.0, 2.0, 2.0]\n"
        "    far + torch.ones(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert "RuntimeError: aten::add mixes devices" in done.stderr
