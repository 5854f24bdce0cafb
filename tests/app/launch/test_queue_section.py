"""The queue on the Launch page, without a browser: what it shows, what its buttons do, and what read-only leaves."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from trainer.launch.queue import Job, Queue, State
from trainer.launch.queue.submitting import command_spec, submit, training_spec

pytestmark = pytest.mark.process

SLEEPER = (sys.executable, "-c", "import time; print('loading'); time.sleep(60)")
WORDS = ("train", "grpo", "--recipe", "grpo-addition", "--learning_rate", "0.003", "--max_steps", "7")


@pytest.fixture(autouse=True)
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    """A queue whose one slot is taken, with a training and a command behind that."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = Queue.of_user()
    made.set_slots(cpu=1, gpu=0)
    sleeper, other = command_spec(SLEEPER, tmp_path, name="sleeper"), command_spec(("true",), tmp_path, name="other")
    submit([sleeper, training_spec(WORDS, tmp_path / "waiting-1", "cpu"), other], made)
    wait_for(lambda: made.job(1).state is State.RUNNING)
    yield made
    for job in made.jobs():
        if job.process is not None and job.process.is_alive:
            os.killpg(job.process.pid, signal.SIGKILL)


def wait_for(look: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not look():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def text_of(app: AppTest) -> str:
    return "\n".join(item.value for item in (*app.markdown, *app.caption, *app.info)).replace("\\", "")


def queued(queue: Queue) -> list[int]:
    return [job.id for job in queue.jobs() if job.state is State.QUEUED]


def ended(queue: Queue, number: int) -> Job:
    wait_for(lambda: queue.job(number).has_ended)
    return queue.job(number)


def test_jobs_are_shown_moved_killed_taken_out_and_queued_again(launch: AppTest, queue: Queue, tmp_path: Path) -> None:
    text = text_of(launch)
    assert "**queued, 1 before it**" in text
    assert "2 · waiting-1" in text
    assert "MiB" in text
    assert "loading" in [block.value for block in launch.code]
    launch.button(key="queue.down.2").click().run()
    assert queued(queue) == [3, 2]
    launch.button(key="queue.stop.3").click().run()
    assert queued(queue) == [2]
    launch.button(key="queue.stop.2").click().run()
    assert not (tmp_path / "waiting-1").exists()
    launch.button(key="queue.kill.1").click().run()
    assert (ended(queue, 1).state, queue.job(1).detail) == (State.KILLED, "killed as asked")
    launch.run().button(key="queue.retry.3").click().run()
    assert ended(queue, 3).state is State.FINISHED


def test_a_training_is_copied_into_the_form(launch: AppTest) -> None:
    launch.button(key="queue.edit.2").click().run()
    assert not launch.exception
    assert "train grpo --recipe grpo-addition" in " ".join(launch.code[0].value.replace("\\\n", "").split())
    values = {item.label: item.value for item in launch.text_input}
    assert (values["learning_rate"], values["max_steps"]) == ("0.003", "7")


def test_what_is_started_while_the_slot_is_taken_waits_and_says_so(launch: AppTest, queue: Queue) -> None:
    launch.text_input(key="launch.name").input("mine").run()
    launch.button(key="launch.start").click().run()
    assert "mine is queued, 3 before it; it starts by itself." in text_of(launch)
    assert queue.job(4).spec.name == "mine"
    assert queue.job(4).state is State.QUEUED


def test_a_read_only_page_shows_the_queue_and_changes_nothing(
    open_launch: Callable[..., AppTest], queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_launch(is_read_only=False)
    click = app.button(key="queue.kill.1").click()
    monkeypatch.setenv("RLVITALS_READ_ONLY", "1")
    click.run()
    assert queue.job(1).state is State.RUNNING
    shown = open_launch(is_read_only=True)
    assert "1 · sleeper" in text_of(shown)
    assert [button for button in shown.button if (button.key or "").startswith("queue.")] == []
