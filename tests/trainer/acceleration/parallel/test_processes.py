"""Several processes train as one: the same metrics, the same parameters, one log. Real processes, joined by gloo."""

import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest
import torch

from diagnostics.api import open_run
from tests.trainer.clocks import CLOCKS
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.launch.several_processes import as_launched

pytestmark = pytest.mark.process

SHARED = ("--report_to", "none", "--max_steps", "3", "--num_threads", "1", "--histogram_steps", "1")
GRPO = ("grpo", "--beta", "0.04", "--num_iterations", "2", "--num_generations", "8", *SHARED)
ENGINE = ("--rollout_engine", "separate", "--async_staleness", "1")
PPO = ("ppo", "--num_mini_batches", "2", "--num_ppo_epochs", "2", "--whiten_rewards", "true", *SHARED)
WORDS = {
    "grpo": (*GRPO, *ENGINE, "--reward_funcs", "addition_accuracy,noting.py:noting"),
    "ppo": (*PPO, "--reward_funcs", "remark_positivity,noting.py:noting"),
}
ONE = ("--per_device_train_batch_size", "16")
TWO = ("--per_device_train_batch_size", "8", "--num_processes", "2")

FAILING = """
import os

def fails_beside_the_first(completions, **columns):
    if os.environ["RANK"] == "1":
        raise ValueError("no reward here")
    return [0.0] * len(completions)
"""


NOTING = """
def noting(prompts, completion_ids, log_extra, log_metric, **columns):
    log_extra("first_token", [ids[0] for ids in completion_ids])
    log_metric("my/first_token", sum(ids[0] for ids in completion_ids) / len(completion_ids))
    return [float(len(ids)) for ids in completion_ids]
"""


def train_on_two_machines(run, *words):
    """One process on each of two machines, as torchrun sees it: they share no memory, and gradients are sent."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    launch = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc_per_node", "1"]
    meet = ["--master_addr", "127.0.0.1", "--master_port", port]
    train = ["-m", "trainer.main", "train", *words, "--run_dir", run.directory.name, "--use_cpu", "true"]
    machines = [
        subprocess.Popen(
            [*launch, *meet, "--node_rank", str(rank), *train],
            cwd=run.directory.parent,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    errors = [machine.communicate(timeout=180)[1] for machine in machines]
    assert [machine.returncode for machine in machines] == [0, 0], errors


def assert_same_training(one, other):
    for mine, theirs in zip(one.lines, other.lines, strict=True):
        assert mine["step"] == theirs["step"]
        assert mine["metrics"].keys() == theirs["metrics"].keys()
        for name in mine["metrics"].keys() - CLOCKS:
            assert theirs["metrics"][name] == pytest.approx(mine["metrics"][name], rel=1e-4, abs=1e-5), name
    for name, tensors in one.newest_state["weights"].items():
        for parameter, value in tensors.items():
            torch.testing.assert_close(other.newest_state["weights"][name][parameter], value, rtol=1e-3, atol=1e-5)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, training_in):
    """trained("ppo", TWO): the run of that algorithm with these words, trained once for all tests."""
    folder = tmp_path_factory.mktemp("processes")
    (folder / "noting.py").write_text(NOTING)

    def train(algorithm, words):
        run = training_in(folder / f"{algorithm}-{'two' if words is TWO else 'one'}")
        if not run.directory.exists():
            code, errors = run.train(*WORDS[algorithm], *words)
            assert code == 0, errors
        return run

    return train


@pytest.mark.parametrize("algorithm", WORDS)
def test_two_processes_train_as_one(trained, algorithm):
    one, two = trained(algorithm, ONE), trained(algorithm, TWO)
    assert_same_training(one, two)
    assert [row["response"] for row in one.samples] == [row["response"] for row in two.samples]
    assert [row["first_token"] for row in one.samples] == [row["first_token"] for row in two.samples]
    assert "my/first_token" in one.lines[0]["metrics"]
    assert (two.directory / "console.rank1.log").read_text() == ""
    assert "computes on 2 × cpu, 1 thread each" in (two.directory / "console.log").read_text()


def test_processes_of_two_machines_train_as_those_of_one(trained, training_in):
    together = trained("ppo", TWO)
    apart = training_in(together.directory.with_name("apart"))
    train_on_two_machines(apart, *WORDS["ppo"], *TWO)
    assert_same_training(together, apart)


def test_two_processes_go_on_bit_for_bit_from_a_checkpoint(training, same_state):
    whole, resumed = training("whole"), training("resumed")
    words = ("--reward_funcs", "addition_accuracy,random:7", "--save_steps", "2")
    assert whole.train(*GRPO, *TWO, *words)[0] == 0
    shutil.copytree(whole.directory, resumed.directory)
    shutil.rmtree(resumed.directory / "checkpoints" / "step-3")
    code, errors = resumed.resume()
    assert code == 0, errors
    assert [row["step"] for row in resumed.lines] == [1, 2, 3, 3]
    assert resumed.metrics == whole.metrics
    assert same_state(resumed.newest_state["weights"], whole.newest_state["weights"])
    assert same_state(resumed.newest_state["parts"], whole.newest_state["parts"])
    assert open_run(resumed.directory).data_health.rewinds == 1


def test_a_failure_beside_the_first_process_ends_all_and_stands_in_the_state(training):
    run = training("a")
    (run.directory.parent / "mine.py").write_text(FAILING)
    code, _ = run.train("grpo", *GRPO[1:], *TWO, "--reward_funcs", "mine.py:fails_beside_the_first")
    assert code != 0
    assert run.status["state"] == "failed"
    assert run.status["error"].startswith("process 1: ")
    assert "no reward here" in run.status["error"]
    assert "no reward here" in (run.directory / "console.rank1.log").read_text()


def test_a_stop_asked_of_one_process_is_agreed_by_all_and_saves_one_checkpoint(training):
    run = training("a")
    process = run.start("grpo", *GRPO[1:], *TWO, "--max_steps", "4000", "--run_dir", "a")
    while not run.lines:
        assert process.poll() is None, process.communicate()[1]
    os.kill(run.status["pid"], signal.SIGTERM)
    assert process.wait(timeout=60) == 0
    last = run.status["step"]
    saved = [folder.name for folder in (run.directory / "checkpoints").iterdir()]
    assert (run.status["state"], saved) == ("stopped", [f"step-{last}"])


def test_accelerate_that_starts_one_process_in_place_of_two_is_refused(training):
    run = training("a")
    accelerate = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2"]
    command = [*accelerate, "-m", "trainer.main", "train", *GRPO, "--run_dir", "a"]
    done = subprocess.run(command, cwd=run.directory.parent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert "starts only one; use: rlvitals train ... --num_processes N, or torchrun" in done.stderr
    assert not run.directory.exists()


def test_a_launcher_that_started_another_number_than_asked_for_is_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "4")
    config = make_config("grpo", {"per_device_train_batch_size": 16})
    assert as_launched(config).batch_size == 64
    with pytest.raises(ConfigError, match="num_processes is 2, but the launcher started 4"):
        as_launched(config.with_changes({"num_processes": 2}))
    with pytest.raises(ConfigError, match="num_processes is 1, but the launcher started 4"):
        as_launched(config, is_resumed=True)
