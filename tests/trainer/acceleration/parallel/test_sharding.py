"""Split models: two processes on a CPU, joined by gloo, under accelerate's own launcher and configuration of FSDP 2."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from accelerate.utils import FullyShardedDataParallelPlugin
from safetensors.torch import load_file
from torch.testing import assert_close
from transformers import AutoModelForCausalLM

from tests.trainer.clocks import CLOCKS
from trainer.acceleration.parallel.sharding import _configure_fsdp
from trainer.config.options import ConfigError
from trainer.rollout.models import load_value_model

pytestmark = pytest.mark.process

FSDP2 = """
distributed_type: FSDP
use_cpu: true
num_machines: 1
num_processes: 2
mixed_precision: 'no'
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_cpu_ram_efficient_loading: true
"""
DEEPSPEED = """
distributed_type: DEEPSPEED
num_machines: 1
num_processes: 2
deepspeed_config:
  deepspeed_config_file: deepspeed.json
  zero3_init_flag: true
"""

ENVIRONMENT = {**os.environ, "PYTHONSAFEPATH": "1"}

SHARED = ("--report_to", "none", "--max_steps", "2", "--num_threads", "1", "--save_steps", "1")
HELD_OUT = ("--eval_strategy", "steps", "--eval_steps", "2", "--num_eval_prompts", "4")
GRPO = ("grpo", "--beta", "0.04", "--num_generations", "4", "--max_grad_norm", "0.1", *SHARED)
PPO = ("ppo", "--num_ppo_epochs", "1", "--histogram_steps", "1", *SHARED, *HELD_OUT)
WHOLE = ("--per_device_train_batch_size", "8")
SPLIT = ("--per_device_train_batch_size", "2", "--gradient_accumulation_steps", "2")
SHARING = ("--per_device_train_batch_size", "4")  # a group in each pass


IN_ONE_PROCESS = """
import json, sys
from trainer.main import main
sys.exit(any([main(words) for words in json.loads(sys.argv[1])]))
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory, training_in):
    """The trainings of whole models, by algorithm; one process for both, since starting it is what takes time."""
    folder = tmp_path_factory.mktemp("whole")
    words = [["train", *words, *WHOLE, "--run_dir", words[0]] for words in (GRPO, PPO)]
    command = [sys.executable, "-P", "-c", IN_ONE_PROCESS, json.dumps(words)]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name: training_in(folder / name) for name in ("grpo", "ppo")}


def launched(folder, configuration, *words):
    """The exit code and the errors of a training that accelerate starts."""
    (folder / "accelerate.yaml").write_text(configuration)
    launch = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", "accelerate.yaml"]
    command = [*launch, "-m", "trainer.main", "train", *words]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=240, check=False
    )
    return done.returncode, done.stderr


def assert_same_training(one, split):
    assert len(one.lines) == len(split.lines) == 2
    for alone, together in zip(one.lines, split.lines, strict=True):
        assert alone["metrics"].keys() == together["metrics"].keys()
        for name in alone["metrics"].keys() - CLOCKS:
            assert together["metrics"][name] == pytest.approx(alone["metrics"][name], rel=1e-4, abs=1e-5), name
    assert [row["response"] for row in one.samples] == [row["response"] for row in split.samples]


def assert_same_weights(model, other):
    assert model.state_dict().keys() == other.state_dict().keys()
    for name, value in other.state_dict().items():
        assert_close(model.state_dict()[name], value, rtol=1e-3, atol=1e-5)


def assert_goes_on_bit_for_bit(split, resumed, tmp_path, configuration, same_state):
    """Resume a copy of a run that has lost its last checkpoint."""
    shutil.copytree(split.directory, resumed.directory)
    shutil.rmtree(resumed.directory / "checkpoints" / "step-2")
    code, errors = launched(tmp_path, configuration, "--resume", "resumed")
    assert code == 0, errors
    assert resumed.metrics == split.metrics
    assert same_state(resumed.newest_state["weights"], split.newest_state["weights"])
    assert same_state(resumed.newest_state["parts"], split.newest_state["parts"])


@pytest.mark.parametrize("passes", [SPLIT, SHARING], ids=["each prompt for each row", "prompts for whole groups"])
def test_grpo_of_a_model_split_by_fsdp_is_the_training_of_a_whole_one(whole, training, tmp_path, passes):
    split = training("split")
    code, errors = launched(tmp_path, FSDP2, *GRPO, *passes, "--run_dir", "split")
    assert code == 0, errors
    assert_same_training(whole["grpo"], split)
    assert max(row["metrics"]["grad_norm"] for row in split.lines) > 0.1


def test_an_engine_apart_is_refused_where_no_process_has_the_whole_policy(training, tmp_path):
    run = training("split")
    code, errors = launched(tmp_path, FSDP2, *GRPO, *SPLIT, "--rollout_engine", "separate", "--run_dir", "split")
    assert code != 0
    assert "copies the whole policy on every process, which FSDP and DeepSpeed divide among them" in errors
    assert run.status["state"] == "failed"


def test_ppo_of_models_split_by_fsdp_is_the_training_of_whole_ones_and_goes_on_bit_for_bit(
    whole, training, tmp_path, same_state
):
    split, resumed = training("split"), training("resumed")
    code, errors = launched(tmp_path, FSDP2, *PPO, *SPLIT, "--run_dir", "split")
    assert code == 0, errors
    assert_same_training(whole["ppo"], split)
    folders = [run.directory / "checkpoints" / "step-2" for run in (whole["ppo"], split)]
    assert_same_weights(*map(AutoModelForCausalLM.from_pretrained, folders))
    assert_same_weights(*(load_value_model(folder / "value_model") for folder in folders))
    assert_goes_on_bit_for_bit(split, resumed, tmp_path, FSDP2, same_state)


@pytest.mark.parametrize("words", [GRPO, PPO], ids=["grpo", "ppo"])
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_training_under_deepspeed_is_that_of_whole_models_and_goes_on_bit_for_bit(
    whole, training, tmp_path, same_state, words, stage
):
    pytest.importorskip("deepspeed", reason="needs deepspeed, which is no dependency of ours")
    settings = {"stage": stage, "stage3_param_persistence_threshold": 0, "stage3_prefetch_bucket_size": 20_000}
    everything = {"zero_optimization": settings, "gradient_accumulation_steps": 4, "gradient_clipping": 7}
    (tmp_path / "deepspeed.json").write_text(json.dumps(everything))
    split, resumed = training("split"), training("resumed")
    code, errors = launched(tmp_path, DEEPSPEED, *words, *SPLIT, "--run_dir", "split")
    assert code == 0, errors
    assert_same_training(whole[words[0]], split)
    folders = [run.directory / "checkpoints" / "step-2" for run in (whole[words[0]], split)]
    assert_same_weights(*map(AutoModelForCausalLM.from_pretrained, folders))
    assert_goes_on_bit_for_bit(split, resumed, tmp_path, DEEPSPEED, same_state)
    goes_on = [run.directory / "checkpoints" / "step-2" for run in (split, resumed)]
    for one, other in zip(*(load_file(folder / "model.safetensors").items() for folder in goes_on), strict=True):
        assert one[0] == other[0]
        assert one[1].equal(other[1])


def test_a_checkpoint_of_deepspeed_is_not_taken_for_one_of_a_whole_model(training):
    run = training("run")
    assert run.train(*GRPO, *WHOLE)[0] == 0
    (run.directory / "checkpoints" / "step-2" / "deepspeed").mkdir()
    code, errors = run.resume("--max_steps", "3")
    assert code != 0
    assert "was saved with DeepSpeed, and can be resumed only in the same way" in errors


def test_fsdp_1_is_refused_in_words():
    with pytest.raises(ConfigError, match="set fsdp_version: 2"):
        _configure_fsdp(FullyShardedDataParallelPlugin(fsdp_version=1))
