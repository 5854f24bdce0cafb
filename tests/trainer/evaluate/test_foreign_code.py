"""An evaluation asks before it loads what somebody else's run names."""

import json
from pathlib import Path

import pytest

from trainer.config.algorithms import make_config
from trainer.evaluate.arguments import read_request
from trainer.evaluate.foreign_code import code_of_evaluation
from trainer.main import main
from trainer.trust.foreign_code import Kind


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with a model that brings its own code, and a checkpoint with pickled weights."""
    model, checkpoint = tmp_path / "model", tmp_path / "a" / "checkpoints" / "step-2"
    for folder in (model, checkpoint):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
    (model / "modeling.py").write_text("")
    (checkpoint / "pytorch_model.bin").write_text("x")
    config = make_config("grpo", {"model_name_or_path": str(model), "trust_remote_code": True}).to_dict()
    (tmp_path / "a" / "run.json").write_text(json.dumps({"algorithm": "grpo", "run_id": "1", "config": config}))
    return tmp_path / "a"


def test_the_models_and_checkpoints_of_both_runs_count_and_the_typed_judge_does_not(run: Path, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("")
    words = [str(run), "--judge", f"{tmp_path}/judge.py:better", "--against", str(run)]
    found = [(code.kind, Path(code.place).name) for code in code_of_evaluation(read_request(words))]
    assert found == [(Kind.MODEL_CODE, "model"), (Kind.PICKLED_WEIGHTS, "step-2")]


def test_on_a_pipe_it_is_refused(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(run), "--judge", "reward:length"]) == 2
    assert f"{run} names code that would run as you and is not trusted yet: Python code" in capsys.readouterr().err
