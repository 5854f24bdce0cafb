"""An interrupted training resumes as if nothing had happened; the processes are real, and really killed."""

import json

import pytest

from diagnostics.api import open_run

pytestmark = pytest.mark.process

SMALL = ("--per_device_train_batch_size", "16", "--report_to", "none", "--max_steps", "8", "--save_steps", "4")
GRPO = ("grpo", "--beta", "0.04", "--reward_funcs", "addition_accuracy,random:7", *SMALL)
PPO = ("ppo", "--adap_kl_ctrl", "true", "--use_score_scaling", "true", "--response_length", "6", *SMALL)
LORA = (*GRPO, "--use_peft", "true", "--lora_r", "2")
ENGINE = (*GRPO, "--rollout_engine", "separate", "--async_staleness", "2", "--rollout_dtype", "float8_e4m3fn")
RLOO = ("rloo", "--normalize_advantages", "true", *SMALL)


@pytest.mark.parametrize("words", [GRPO, PPO, LORA, RLOO, ENGINE], ids=["grpo", "ppo", "lora", "rloo", "engine"])
def test_a_killed_training_goes_on_bit_for_bit_and_its_log_shows_the_rewind(training, same_state, words):
    whole, killed = training("whole"), training("killed")
    assert whole.train(*words)[0] == 0
    killed.kill_after(6, *words)
    events = killed.directory / "events.jsonl"
    with events.open("ab") as file:
        file.write(b'{"step": 6, "metr')  # what a power cut may leave
    written = events.read_bytes()

    assert killed.resume()[0] == 0
    assert events.read_bytes().startswith(written)
    assert killed.metrics == whole.metrics
    assert same_state(killed.newest_state["weights"], whole.newest_state["weights"])
    assert same_state(killed.newest_state["parts"], whole.newest_state["parts"])

    run = open_run(killed.directory)
    assert (run.status.state, run.data_health.rewinds, run.data_health.malformed) == ("finished", 1, 1)
    assert killed.status["resumed"][0]["step"] == 4
    assert run.steps.tolist() == list(range(1, 9))


def test_a_training_that_is_killed_before_its_first_checkpoint_begins_again_in_its_log(training, same_state):
    whole, killed = training("whole"), training("killed")
    assert whole.train(*GRPO)[0] == 0
    killed.kill_after(2, *GRPO)
    assert not list(killed.directory.glob("checkpoints/step-*"))
    logged = len(killed.lines)
    assert killed.resume()[0] == 0
    assert [row["step"] for row in killed.lines] == [*range(1, logged + 1), *range(1, 9)]
    assert killed.metrics == whole.metrics
    assert same_state(killed.newest_state["weights"], whole.newest_state["weights"])
    run = open_run(killed.directory)
    assert (run.status.state, run.data_health.rewinds) == ("finished", 1)
    assert killed.status["resumed"][0]["step"] == 0


def test_a_training_that_is_killed_within_a_save_goes_on_from_the_one_before(training, same_state):
    often = (*GRPO, "--save_steps", "1")
    whole = training("whole")
    assert whole.train(*often)[0] == 0
    for attempt in range(10):  # the save may be over when the signal arrives
        killed = training(f"killed-{attempt}")
        killed.kill_when(lambda folder=killed.directory: any(folder.glob("checkpoints/.*.partial/*")), *often)
        if any(killed.directory.glob("checkpoints/.*.partial")):
            break
    else:
        pytest.fail("no kill came within a save")
    assert killed.resume()[0] == 0
    assert killed.metrics == whole.metrics
    assert same_state(killed.newest_state["weights"], whole.newest_state["weights"])
    assert not any(killed.directory.glob("checkpoints/.*.partial"))


def test_a_finished_run_goes_on_with_more_steps_and_nothing_else_may_change(training):
    run = training("a")
    assert run.train(*GRPO)[0] == 0
    done, errors = run.resume()
    assert (done, errors) == (2, "rlvitals: a has done its 8 steps; to continue, give a larger --max_steps\n")
    done, errors = run.resume("--learning_rate", "0.1")
    assert done == 2
    assert "--resume continues with the run's own learning_rate" in errors
    assert run.resume("--max_steps", "10")[0] == 0
    assert [row["step"] for row in run.lines] == list(range(1, 11))
    assert (run.status["state"], run.status["total"]) == ("finished", 10)
    assert json.loads((run.directory / "run.json").read_bytes())["config"]["max_steps"] == 8
    assert open_run(run.directory).config["max_steps"] == 10
