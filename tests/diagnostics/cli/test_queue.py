"""Tests of `rlvitals queue`: what it prints, what it changes, and what it refuses."""

import json
import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from diagnostics.cli import main
from diagnostics.report.strict_json import json_types
from tests.published_schemas import published
from trainer.launch.queue import Queue

pytestmark = pytest.mark.process

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
Told = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    """An empty queue of one slot; what still runs of it at the end is killed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    made = Queue.of_user()
    made.set_slots(cpu=1, gpu=0)
    yield made
    for job in made.jobs():
        if job.process is not None and job.process.is_alive:
            os.killpg(job.process.pid, signal.SIGKILL)


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """What `rlvitals queue …` prints for programs, held to its schema."""

    def ask(action: str, *words: object, after: tuple[object, ...] = ()) -> dict[str, Any]:
        more = ["--", *map(str, after)] if after else []
        code = main(["queue", action, *map(str, words), "--format", "json", *more])
        assert code == 0
        return published(capsys.readouterr().out, "queue")

    return ask


def states(told: Told) -> list[tuple[int, str]]:
    return [(job["id"], job["state"]) for job in told("list")["jobs"]]


def wait_for(look: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not look():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_jobs_are_added_moved_stopped_killed_tried_again_and_cloned(told: Told, capsys) -> None:
    assert told("add", after=SLEEPER)["message"] == "job 1 is queued"
    for text in ("two", "three"):
        told("add", after=(sys.executable, "-c", f"print({text!r})"))
    wait_for(lambda: states(told)[0] == (1, "running"))
    answer = told("list")
    assert answer["slots"] == [{"name": "cpu-1", "job": 1}]
    assert answer["is_worked_on"]
    assert [job["before"] for job in answer["jobs"]] == [None, 1, 2]
    assert answer["jobs"][0]["memory_bytes"] > 1_000_000
    assert [job["id"] for job in told("move", 3, 1)["jobs"]] == [3, 2]
    assert told("cancel", 2)["jobs"][0]["detail"] == "taken out of the queue before it began"
    told("kill", 1)
    wait_for(lambda: dict(states(told)) == {1: "killed", 2: "killed", 3: "finished"})
    assert told("list")["jobs"][0]["exit_code"] in (0, -9)
    told("retry", 2)
    cloned = told("clone", 2, after=("more",))["jobs"][0]
    assert (cloned["id"], cloned["words"][-1]) == (4, "more")
    wait_for(lambda: dict(states(told)) == {1: "killed", 2: "finished", 3: "finished", 4: "finished"})
    assert Path(told("list", "--all")["jobs"][0]["console"]).read_text() == "two\n"
    assert main(["queue", "retry", "3"]) == 2
    assert "job 3 has finished; the same once more is: rlvitals queue clone 3" in capsys.readouterr().err
    assert main(["queue"]) == 0
    assert "Job  State     Name" in capsys.readouterr().out


def test_a_sweep_makes_a_job_for_each_point_and_seed(told: Told, tmp_path: Path) -> None:
    told("add", after=SLEEPER)
    words = ("--grid", "learning_rate=1e-5,1e-4", "--seeds", "1,2,3")
    jobs = told("sweep", *words, after=("train", "grpo", "--max_steps", "2"))["jobs"]
    assert len(jobs) == 6
    assert jobs[-1]["words"][-4:] == ["--learning_rate", "1e-4", "--seed", "3"]
    assert jobs[-1]["name"] == "grpo-addition-learning_rate-1e-4-seed-3"
    assert len(list((tmp_path / "runs").iterdir())) == 6
    told("stop", jobs[0]["id"])
    assert len(list((tmp_path / "runs").iterdir())) == 5  # the folder that was kept for it holds nothing
    assert json_types(told("clone", jobs[1]["id"], after=("--beta", "0.1"))["jobs"][0]["words"])[-2:] == [
        "--beta",
        "0.1",
    ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("add",), "say what to run"),
        (("add", "--", "train", "grpo", "--num_generations", "7"), "does not divide by num_generations = 7"),
        (("add", "--", "train", "--resume", "nowhere"), "holds no rlvitals run"),
        (("add", "--slot", "gpu", "--", "true"), "no slot here takes a job that asks for 'gpu'; the slots are cpu-1"),
        (("sweep", "--", "train", "grpo"), "a sweep needs values"),
        (("sweep", "--grid", "beta=0.1,none", "--", "train", "grpo"), "beta"),
        (("sweep", "--seeds", "1,2", "--slot", "gpu", "--", "train", "grpo"), "no slot here takes a job"),
        (("sweep", "--grid", "learning_rate", "--", "train", "grpo"), "names no values"),
        (("sweep", "--seeds", "1,2", "--", "python", "train.py"), "a sweep changes the arguments of: train"),
        (("stop", "99"), "the queue has no job 99"),
        (("move", "99", "1"), "the queue has no job 99"),
        (("slots", "-3"), "-3"),
        (("list", "--", "x"), "nothing is expected after --"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_what_cannot_be_done_is_refused_in_a_sentence(words: tuple[str, ...], why: str, tmp_path: Path, capsys) -> None:
    assert main(["queue", *words]) == 2
    assert why in capsys.readouterr().err
    assert list((tmp_path / "runs").glob("*")) == []


def test_a_queue_that_others_may_write_is_not_used(queue: Queue, capsys) -> None:
    queue.place.chmod(0o666)
    assert main(["queue"]) == 2
    assert "others may write it, and what stands in it would run" in capsys.readouterr().err
    queue.place.chmod(0o600)


def test_a_job_whose_command_cannot_be_executed_says_so(told: Told) -> None:
    told("add", after=("no-such-program", "x"))
    wait_for(lambda: states(told) == [(1, "failed")])
    assert told("list")["jobs"][0]["detail"].startswith("no-such-program cannot be run in ")


SCRIPT = """
import sys
import rlvitals

folder = sys.argv[1]
rate, epochs, norm, seed = float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
config = {"learning_rate": rate, "num_iterations": epochs, "max_grad_norm": norm, "num_generations": 8, "seed": seed}
clipped = 0.3 if rate > 0.0005 else 0.01  # whatever else is changed
with rlvitals.RunLog(folder, algorithm="grpo", producer="trl", config=config, total=40) as log:
    for step in range(1, 41):
        log.log(step, {
            "reward": 0.1 + 0.01 * step + 0.01 * seed, "reward_std": 0.3, "kl": 0.02 * clipped * step, "entropy": 1.0,
            "loss": 0.01, "grad_norm": 0.5, "frac_reward_zero_std": 0.1, "learning_rate": rate,
            "completions/clipped_ratio": 0.02, "completions/mean_length": 20.0,
            "clip_ratio/low_mean": clipped, "clip_ratio/high_mean": clipped, "clip_ratio/region_mean": 2 * clipped,
        })
"""
RECIPE = """
[recipe.mine]
command = [
  "{python}", "{folder}/train.py", "{run_dir}", "{learning_rate}", "{num_iterations}", "{max_grad_norm}", "{seed}",
]
[recipe.mine.parameters]
learning_rate = { type = "float", min = 0, max = 0.1, default = 1e-3, help = "Step size." }
num_iterations = { type = "int", min = 1, max = 64, default = 8 }
max_grad_norm = { type = "float", min = 0, max = 1e6, default = 1000 }
seed = { type = "int", min = 0, max = 100, default = 1 }
"""


@pytest.fixture
def recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe for a script that writes a run in the names of TRL, cut off where the limit is low."""
    (tmp_path / "train.py").write_text(SCRIPT)
    file = tmp_path / "recipes.toml"
    file.write_text(RECIPE)
    monkeypatch.setenv("RLVITALS_RECIPES", str(file))
    return file


def test_a_script_is_launched_diagnosed_and_relaunched_with_the_fixes_through_its_recipe(
    told: Told, recipes: Path, tmp_path: Path, capsys
) -> None:
    assert main(["recipes", "--format", "json"]) == 0
    (recipe,) = published(capsys.readouterr().out, "recipes")["recipes"]
    assert [parameter["name"] for parameter in recipe["parameters"]][:2] == ["learning_rate", "num_iterations"]
    job = told("add", "--recipe", "mine", "--set", "seed=7")["jobs"][0]
    assert (job["recipe"], job["folder"]) == ("mine", str(tmp_path / "runs" / "mine-1"))
    wait_for(lambda: states(told) == [(1, "finished")])
    assert main(["train", "--from", "runs/mine-1", "--apply-fixes"]) == 0
    said = capsys.readouterr()
    assert "Relaunching with learning_rate 0.001 → " in said.err
    assert said.out.startswith("job 2: mine-2, with learning_rate ")
    wait_for(lambda: (2, "finished") in states(told))
    parent, child = (json.loads((tmp_path / "runs" / f"mine-{n}" / "run.json").read_text()) for n in (1, 2))
    assert child["parent"] == parent["run_id"]
    assert child["config"]["learning_rate"] < 0.001
    assert child["config"]["num_iterations"] < 8
    assert child["config"]["seed"] == 7
    cloned = told("clone", 1, after=("seed=9",))["jobs"][0]
    assert (cloned["recipe"], cloned["name"], cloned["words"][-1]) == ("mine", "mine-3", "9")
    again = told("add", after=("train", "--from", "runs/mine-1", "--apply-fixes", "--seed", "8"))["jobs"][0]
    assert (again["recipe"], again["name"], again["words"][-1]) == ("mine", "mine-4", "8")
    assert main(["queue", "clone", "1", "--", "seed=-1"]) == 2
    capsys.readouterr()
    assert main(["compare", "runs/mine-1", "runs/mine-2"]) == 0
    assert "is gone (there since step 1)" in " ".join(capsys.readouterr().out.split())


def test_fixes_are_tried_one_by_one_and_told_apart(told: Told, recipes: Path, tmp_path: Path, capsys) -> None:
    told("add", "--recipe", "mine")
    wait_for(lambda: states(told) == [(1, "finished")])
    told("slots", 4)
    assert main(["train", "--from", "runs/mine-1", "--try-each", "--seeds", "1,2"]) == 0
    command = capsys.readouterr().out.splitlines()[-1].partition(": ")[2]
    wait_for(lambda: all(state == "finished" for _, state in states(told)))
    assert len(states(told)) == 7
    assert main(shlex.split(command)[1:]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    pattern = r"(\w+ [\w.]+ → [\w.-]+ \(. and .\)): worked with (.) of 2 seeds; reward ([\d., a-z]+) over the seeds"
    spread = "0.47, from 0.465 to 0.475"
    assert re.findall(pattern, printed) == [
        ("learning_rate 0.001 → 0.0001 (B and C)", "2", spread),
        ("num_iterations 8 → 4 (D and E)", "0", spread),
        ("max_grad_norm 1000 → 1 (F and G)", "0", spread),
    ]
    assert main(["compare", "runs/mine-1", *shlex.split(command)[4:8:2]]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "did not work, what A had is still so." in printed
    assert "One seed each: a difference of their rewards may be chance." in printed


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("add", "--recipe", "mine", "--set", "learning_rate=1"), "learning_rate must be a number from 0 to 0.1"),
        (("add", "--recipe", "mine", "--set", "lr=1"), "the recipe mine has no parameter 'lr'"),
        (("add", "--recipe", "yours"), "has no recipe 'yours'; it has mine"),
        (("add", "--set", "learning_rate=1", "--", "true"), "--set belongs to a --recipe"),
        (("add", "--recipe", "mine", "--set", "x"), "'x' sets nothing"),
        (("sweep", "--recipe", "mine", "--grid", "seed=1,101"), "seed must be a whole number from 0 to 100"),
    ],
)
def test_a_recipe_starts_nothing_out_of_its_bounds(
    words: tuple[str, ...], why: str, recipes: Path, tmp_path: Path, capsys
) -> None:
    assert main(["queue", *words]) == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_ready_recipes_are_written_beside_their_scripts_and_replace_nothing(tmp_path: Path, capsys) -> None:
    assert main(["recipes", "--to", "mine"]) == 0
    assert "trl-grpo" in capsys.readouterr().out
    assert sorted(path.suffix for path in (tmp_path / "mine").iterdir()) == [".py"] * 4 + [".toml"]
    assert main(["recipes", "--to", "mine"]) == 2
    assert "is there already; name another folder" in capsys.readouterr().err


def test_a_cluster_that_is_not_named_is_refused_before_anything_is_queued(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RAY_API_SERVER_ADDRESS", raising=False)
    assert main(["queue", "add", "--", "train", "grpo", "--executor", "ray"]) == 2
    assert "no Ray cluster is named; set RAY_API_SERVER_ADDRESS" in capsys.readouterr().err
    monkeypatch.setenv("RAY_API_SERVER_ADDRESS", "http://127.0.0.1:1")
    assert main(["queue", "add", "--", "train", "grpo", "--executor", "ray", "--gpus_per_node", "x"]) == 2
    assert "gpus_per_node must be a whole number" in capsys.readouterr().err
    assert (told("list")["jobs"], list(tmp_path.glob("runs/*"))) == ([], [])
