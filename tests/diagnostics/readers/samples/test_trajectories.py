"""Tests of episodes of agents, laid out and written as the sources of prime-rl, rLLM and ART say."""

import json
from pathlib import Path
from typing import Any

import pytest

from diagnostics.readers.discovery import find, open_readers
from diagnostics.readers.samples.trajectories import Reader

QUESTION = {"role": "user", "content": "2 + 2?"}
ANSWER = {"role": "assistant", "content": "4"}


def node(message: Any, parent: int | None, *, sampled: bool = False) -> dict[str, Any]:
    return {"parent": parent, "message": message, "sampled": sampled, "token_ids": []}


def prime_episode(score: float = 1.0) -> dict[str, Any]:
    """An episode of verifiers: of two branches the second is the newest."""
    nodes = [
        node({"role": "system", "content": "You add."}, None),
        node(QUESTION, 0),
        node({"role": "assistant", "content": "5"}, 1, sampled=True),
        node(ANSWER, 1, sampled=True),
    ]
    rewards = {"exact": {"score": score, "weight": 1.0}, "format": {"score": 0.5, "weight": 0.2}, "unscored": None}
    trace = {"nodes": nodes, "rewards": rewards, "stop_condition": "max_turns", "is_completed": True}
    return {"id": "e", "ok": True, "group": {"id": "g"}, "traces": [trace]}


def prime_run(root: Path) -> Path:
    for step in (1, 2, 10):
        for kind in ("all", "effective") if step > 1 else ("all",):
            file = root / "rollouts" / f"step_{step}" / "train" / kind / "traces.jsonl"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps(prime_episode(float(kind == "effective"))) + "\n")
    file = root / "rollouts" / "step_10" / "eval" / "effective" / "traces.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(prime_episode()) + "\n")
    return root


def rllm_run(root: Path) -> Path:
    for name, step in (("train_step_1_epoch_0", 1), ("val_step_1_epoch_0", 1), ("train_step_2_epoch_0", 2)):
        (root / "episodes" / name).mkdir(parents=True)
        steps = [{"model_response": "4", "chat_completions": [QUESTION, ANSWER], "reward": 1.0, "done": True}]
        episode = {
            "training_step": step,
            "task": {"question": "2 + 2?"},
            "is_correct": True,
            "termination_reason": "env_done",
            "metrics": {},
            "trajectories": [{"name": "solver", "reward": 1.0, "num_steps": 1, "steps": steps}],
        }
        (root / "episodes" / name / "episode_hash1a2b3c4d_id0_0.json").write_text(json.dumps(episode, indent=2) + "\n")
    return root


def art_run(root: Path) -> Path:
    """Two groups of one step, as PyYAML dumps them."""
    choice = "{finish_reason: stop, index: 0, message: {role: assistant, content: '4'}}"
    trajectory = (
        "{reward: 0.5, metrics: {turns: 1}, metadata: {}, logs: [], "
        f"messages_and_choices: [{{role: user, content: '2 + 2?'}}, {choice}]}}"
    )
    for split, step in (("train", 0), ("train", 1), ("val", 1)):
        folder = root / "trajectories" / split
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{step:04d}.yaml").write_text(
            f"- metadata: {{}}\n  trajectories: [{trajectory}, {trajectory}]\n" * 2
        )
    return root


@pytest.mark.parametrize(
    ("make", "name", "steps"),
    [(prime_run, "rollouts", (1, 2, 10)), (rllm_run, "episodes", (1, 2)), (art_run, "trajectories", (0, 1))],
    ids=["prime-rl", "rllm", "art"],
)
def test_the_steps_of_a_layout_are_one_run(tmp_path: Path, make: Any, name: str, steps: tuple[int, ...]) -> None:
    (ref,) = find(make(tmp_path))
    (reader,) = open_readers(ref)
    recording = reader.refresh()

    assert (ref.path, recording.samples.steps) == (tmp_path / name, steps)
    assert reader.refresh() is recording
    for step in steps:
        assert all((row.query, row.response)[1].endswith("4") for row in recording.samples.at(step))


def test_of_a_trace_the_newest_branch_and_its_weighted_rewards_count(tmp_path: Path) -> None:
    samples = Reader(prime_run(tmp_path) / "rollouts").refresh().samples

    (first,) = samples.at(1)
    assert (first.query, first.response) == ("system: You add.\nuser: 2 + 2?", "4")
    assert (first.score, dict(first.rewards), first.terminated) == (0.1, {"exact": 0.0, "format": 0.5}, False)
    assert [(row.score, row.split) for row in samples.at(10)] == [(1.1, "eval"), (1.1, "train")]


def test_an_episode_of_rllm_is_a_sample_for_each_trajectory(tmp_path: Path) -> None:
    samples = Reader(rllm_run(tmp_path) / "episodes").refresh().samples

    assert [(row.query, row.response, row.score, row.split) for row in samples.at(1)] == [
        ("2 + 2?", "4", 1.0, "train"),
        ("2 + 2?", "4", 1.0, "eval"),
    ]
    assert samples.at(2)[0].extra["is_correct"] is True


def test_the_groups_of_art_are_groups(tmp_path: Path) -> None:
    samples = Reader(art_run(tmp_path) / "trajectories").refresh().samples

    assert [row.group for row in samples.at(0)] == [0, 0, 1, 1]
    assert samples.at(0)[0].score == 0.5
    assert samples.at(0)[0].terminated is True
    assert [row.split for row in samples.at(1)] == ["train"] * 4 + ["eval"] * 4


def test_episodes_that_are_torn_or_something_else_are_left_out(tmp_path: Path) -> None:
    root = rllm_run(prime_run(art_run(tmp_path)))
    for file in [path for path in root.rglob("*") if path.is_file()]:
        file.write_bytes(file.read_bytes()[:-40] + b"\xff[\n")

    for ref in find(root):
        samples = open_readers(ref)[0].refresh().samples
        assert [samples.at(step) for step in samples.steps] == [()] * len(samples.steps)


def test_episodes_stand_beside_the_metrics_of_their_run(tmp_path: Path) -> None:
    (prime_run(tmp_path) / "metrics.jsonl").write_text('{"step": 1, "time": 1.0, "reward/all/mean": 0.5}\n')

    (ref,) = find(tmp_path)

    assert {part.format for part in ref.parts} == {"table", "trajectories"}
