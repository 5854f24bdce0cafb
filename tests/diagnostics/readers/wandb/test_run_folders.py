"""Tests of W&B's folders: each is one run with all that W&B keeps in it, whatever of that can be read."""

import shutil
from pathlib import Path

import pytest

from diagnostics.api import find_runs, open_run
from tests.diagnostics.readers.consoles import PRINTED, SETTINGS
from tests.diagnostics.readers.writers.trackers import WandbWriter

PPO = Path(__file__).parents[3] / "fixtures" / "trl" / "ppo112_nmb1" / "wandbdir" / "wandb"
OUTPUT = "".join(f"step:{step} - actor/pg_loss:{step / 8} - critic/score/mean:{step / 16}\n" for step in range(1, 7))


@pytest.fixture
def wandb_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "wandb"
    folder.mkdir()
    return folder


def run_folder(folder: Path, run_id: str = "abc", started: str = "20260101_000000") -> Path:
    """A run of W&B with nothing logged, and its copy of the console."""
    made = WandbWriter(folder / f"run-{started}-{run_id}")
    made.file.rename(made.path / f"run-{run_id}.wandb")
    (made.path / "files").mkdir()
    (made.path / "files" / "output.log").write_text(OUTPUT)
    return made.path


def written_by(folder: Path, steps: int) -> None:
    """Replace the log of a run by one with this many rows."""
    (log,) = folder.glob("*.wandb")
    writer = WandbWriter(folder / "new")
    for step in range(1, steps + 1):
        writer.log(step, {"actor/pg_loss": step / 8, "critic/score/mean": step / 16})
    shutil.move(writer.file, log)
    writer.path.rmdir()


def test_what_wandb_writes_about_itself_is_no_run(wandb_folder: Path) -> None:
    run = run_folder(wandb_folder)
    (run / "logs").mkdir()
    for place in (wandb_folder, run / "logs"):
        for name in ("debug.log", "debug-internal.log", "debug-core.log"):
            (place / name).write_text(f"2026-01-01 00:00:00 INFO config: \n{SETTINGS}")

    assert [ref.path for ref in find_runs(wandb_folder)] == [run]


def test_a_users_own_debug_log_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "debug.log").write_text(OUTPUT)

    assert open_run(tmp_path).steps.tolist() == [1, 2, 3, 4, 5, 6]


def test_the_copy_that_wandb_keeps_belongs_to_its_run(wandb_folder: Path) -> None:
    (source,) = PPO.glob("offline-run-*")
    run = Path(shutil.copytree(source, wandb_folder / source.name))
    shutil.copy(PRINTED / "ppo112.log", run / "files" / "output.log")

    (ref,) = find_runs(wandb_folder)
    alone, both = open_run(source), open_run(ref)

    assert [(part.format, part.path.name) for part in ref.parts] == [("wandb", run.name), ("console", "output.log")]
    assert {name: item.values.tolist() for name, item in alone.series.items() if "ratio_var" not in name} == {
        name: item.values.tolist() for name, item in both.series.items() if "ratio_var" not in name
    }
    assert (both.notes, both.data_health) == (alone.notes, alone.data_health)


def test_a_log_that_wandb_began_and_never_wrote_to_leaves_what_was_printed(wandb_folder: Path) -> None:
    run_folder(wandb_folder)

    run = open_run(wandb_folder)

    assert (run.run_id, run.name, run.steps.tolist()) == ("abc", "abc", [1, 2, 3, 4, 5, 6])
    assert [source.format for source in run.sources] == ["wandb", "console"]


def test_a_log_without_a_byte_is_told_and_leaves_what_was_printed(wandb_folder: Path) -> None:
    folder = run_folder(wandb_folder)
    (folder / "run-abc.wandb").write_bytes(b"")

    run = open_run(wandb_folder)

    assert run.steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert any("is empty: its writer has not written a record yet" in note for note in run.notes)


def test_the_settings_that_wandb_kept_are_those_of_what_was_printed(wandb_folder: Path) -> None:
    folder = run_folder(wandb_folder)
    (folder / "run-abc.wandb").write_bytes(b"")
    (folder / "files" / "config.yaml").write_text(
        "wandb_version: 1\n_wandb:\n  value: {cli_version: 0.19.0}\n"
        "learning_rate:\n  desc: null\n  value: 2.0e-06\nnum_generations:\n  value: 8\n"
    )

    assert open_run(wandb_folder).config == {"learning_rate": 2e-06, "num_generations": 8}


@pytest.mark.parametrize("text", [None, "", "{", "- a\n- b\n", "a: &a [*a]\n"])
def test_settings_that_cannot_be_read_leave_what_was_printed(wandb_folder: Path, text: str | None) -> None:
    folder = run_folder(wandb_folder)
    (folder / "run-abc.wandb").unlink()
    if text is not None:
        (folder / "files" / "config.yaml").write_text(text)

    assert open_run(wandb_folder).steps.tolist() == [1, 2, 3, 4, 5, 6]


def test_a_config_file_beside_a_text_of_no_tracker_is_not_the_settings_of_its_run(tmp_path: Path) -> None:
    (tmp_path / "output.log").write_text(OUTPUT)
    (tmp_path / "config.yaml").write_text("learning_rate:\n  value: 2.0e-06\n")

    assert "learning_rate" not in open_run(tmp_path).config


def test_a_log_that_was_cut_off_goes_on_with_what_was_printed(wandb_folder: Path) -> None:
    written_by(run_folder(wandb_folder), steps=4)

    run = open_run(wandb_folder)

    (scores,) = (item for item in run.series.values() if item.tag == "critic/score/mean")
    assert scores.values.tolist() == [step / 16 for step in range(1, 7)]


def test_printed_rows_at_other_steps_do_not_lengthen_a_log(wandb_folder: Path) -> None:
    folder = run_folder(wandb_folder)
    written_by(folder, steps=4)
    text = "".join(f"step:{step} - critic/score/mean:{step / 160}\n" for step in range(1, 60))
    (folder / "files" / "output.log").write_text(text)

    assert open_run(wandb_folder).steps.tolist() == [1, 2, 3, 4]


def test_a_run_that_lost_its_log_is_what_was_printed_under_its_own_name(wandb_folder: Path) -> None:
    folder = run_folder(wandb_folder)
    (folder / "run-abc.wandb").unlink()

    (ref,) = find_runs(wandb_folder)

    assert (ref.format, ref.name, open_run(ref).run_id) == ("console", "abc", "abc")
    assert open_run(ref).status.state == "silent"  # by the time in the folder's name
    assert open_run(ref).steps.tolist() == [1, 2, 3, 4, 5, 6]


def test_a_resumed_run_is_one_run_with_all_that_it_printed(wandb_folder: Path) -> None:
    run_folder(wandb_folder)
    later = run_folder(wandb_folder, started="20260102_000000")
    (later / "files" / "output.log").write_text(OUTPUT.replace("step:", "step:1"))

    (ref,) = find_runs(wandb_folder)

    assert [part.format for part in ref.parts] == ["wandb", "console", "console"]
    assert open_run(ref).steps.tolist() == [*range(1, 7), *range(11, 17)]


def test_the_latest_run_that_was_copied_instead_of_linked_is_listed_once(wandb_folder: Path) -> None:
    run = run_folder(wandb_folder)
    other = run_folder(wandb_folder, "xyz")
    shutil.copytree(run, wandb_folder / "latest-run")

    assert [ref.path for ref in find_runs(wandb_folder)] == [run, other]


def test_event_files_that_wandb_keeps_in_a_runs_folder_belong_to_the_run(wandb_folder: Path) -> None:
    (source,) = PPO.glob("offline-run-*")
    run = Path(shutil.copytree(source, wandb_folder / source.name))
    (events,) = (PPO.parents[1]).rglob("events.out.tfevents.*")
    shutil.copy(events, run / "files")

    (ref,) = find_runs(wandb_folder)

    assert [part.format for part in ref.parts] == ["tensorboard", "wandb"]
