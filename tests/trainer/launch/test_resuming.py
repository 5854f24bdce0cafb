"""Which checkpoints a run can resume from, and which runs are refused; no training is needed to test it."""

from pathlib import Path

import pytest

from diagnostics.readers.run_directory.reader import Reader
from diagnostics.runlog import RunLog, RunLogError
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError
from trainer.launch import LaunchError
from trainer.launch.arguments import read_plan
from trainer.launch.resuming import STATE_FILE, checkpoints_of, newest_resumable
from trainer.launch.starting import resume


def ended_run(directory: Path, *saved_steps: int, state: str = "stopped") -> Path:
    """A run of six steps of ten, with checkpoints that hold a training's state by name only."""
    values = make_config("grpo", {"max_steps": 10, "per_device_train_batch_size": 16}).to_dict()
    log = RunLog(directory, algorithm="grpo", config=values, total=10)
    for step in range(1, 7):
        log.log(step, {"reward": 0.5}, [{"query": "1+1=", "response": "2", "score": float(step)}])
    log.close(state)
    for step in saved_steps:
        (directory / "checkpoints" / f"step-{step}").mkdir(parents=True)
        (directory / "checkpoints" / f"step-{step}" / STATE_FILE).touch()
    return directory


def test_the_newest_whole_checkpoint_counts_and_half_a_one_does_not(tmp_path):
    run = ended_run(tmp_path / "a", 2, 10, 4)
    (run / "checkpoints" / ".step-12.partial").mkdir()
    (run / "checkpoints" / ".step-12.partial" / STATE_FILE).touch()
    (run / "checkpoints" / "step-11").mkdir()  # only a model, as older versions saved it
    assert list(checkpoints_of(run)) == [2, 4, 10, 11]
    assert newest_resumable(run) == (10, run / "checkpoints" / "step-10")


def test_a_plan_goes_on_in_the_runs_own_folder_with_its_own_options(tmp_path):
    run = ended_run(tmp_path / "a", 4)
    plan = read_plan(["--resume", str(run), "--max_steps", "20"])
    assert (plan.algorithm, plan.directory, plan.resumed_step, plan.changed) == ("grpo", run, 4, {"max_steps": 20})
    assert plan.config.per_device_train_batch_size == 16


def test_options_that_were_changed_at_one_resume_hold_at_the_next(tmp_path):
    run = ended_run(tmp_path / "a", 4)
    RunLog.resume(run, step=4, total=20, changes={"max_steps": 20}).close("stopped")
    assert read_plan(["--resume", str(run)]).config.max_steps == 20
    assert Reader(run).refresh().config["max_steps"] == 20


@pytest.mark.parametrize(
    ("saved", "words", "sentence"),
    [
        ((10,), (), "has done its 10 steps; to continue, give a larger --max_steps"),
        ((4,), ("--learning_rate", "0.1"), "--resume continues with the run's own learning_rate = 1e-06; only "),
        ((4,), ("--run_dir", "b"), "--resume continues a run as it is; leave --run_dir out"),
    ],
)
def test_a_resume_that_cannot_be_is_refused_in_one_sentence(tmp_path, saved, words, sentence):
    run = ended_run(tmp_path / "a", *saved)
    with pytest.raises(ConfigError) as refusal:
        read_plan(["--resume", str(run), *words])
    assert sentence in str(refusal.value)


def test_checkpoints_of_a_model_alone_are_not_gone_on_from(tmp_path):
    run = ended_run(tmp_path / "a")
    (run / "checkpoints" / "step-4").mkdir(parents=True)
    with pytest.raises(ConfigError, match="hold only the model; start a new run from it: --model_name_or_path"):
        read_plan(["--resume", str(run)])


def test_a_run_without_a_checkpoint_begins_again(tmp_path):
    run = ended_run(tmp_path / "a")
    plan = read_plan(["--resume", str(run), "--max_steps", "20"])
    assert (plan.directory, plan.resumed_step, plan.changed) == (run, 0, {"max_steps": 20})
    assert read_plan(["grpo"]).resumed_step is None


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"holds no rlvitals run \(run.json cannot be read: No such file"):
        read_plan(["--resume", str(tmp_path)])


def test_a_run_that_is_still_written_is_refused(tmp_path):
    with RunLog(tmp_path / "a"), pytest.raises(RunLogError, match="is still written by a living process; stop that"):
        RunLog.resume(tmp_path / "a", step=1)


def test_the_log_of_a_resumed_run_shows_the_rewind_and_loses_nothing(tmp_path):
    run = ended_run(tmp_path / "a", 4, state="failed")
    events, samples = (run / "events.jsonl"), (run / "samples.jsonl")
    before, sampled = events.read_bytes(), samples.read_bytes()
    reader = Reader(run)
    reader.refresh()
    with RunLog.resume(run, step=4, total=10) as log:
        log.log(5, {"reward": 0.9}, [{"query": "1+1=", "response": "again", "score": 9.0}])
    assert events.read_bytes().startswith(before)
    assert samples.read_bytes().startswith(sampled)
    recording = reader.refresh()
    assert recording.tags["reward"].steps.tolist() == [1, 2, 3, 4, 5, 6, 5]
    assert [sample.response for sample in recording.samples.at(5)] == ["again"]
    assert (recording.status.state, recording.status.step) == ("finished", 5)


@pytest.mark.process
def test_the_launcher_gives_the_trainings_own_refusal(tmp_path):
    run = ended_run(tmp_path / "a", 10)
    with pytest.raises(LaunchError, match="has done its 10 steps"):
        resume(run)
    assert "stopped" in (run / "status.json").read_text()
