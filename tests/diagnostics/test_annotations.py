"""Tags, notes and the archive: nothing of them is lost, and none of it lies in a run."""

import multiprocessing
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from diagnostics.annotations import LONGEST_NOTE, Annotation, AnnotationError, Annotations
from tests.hostile_text import DANGEROUS, EVERYTHING

A, B = Path("/runs/a"), Path("/runs/b")
WRITERS, TAGS_EACH = 4, 25
ENDLESS = """
import sys
from itertools import count
from pathlib import Path
from diagnostics.annotations import Annotations
kept = Annotations(Path(sys.argv[1]))
for number in count():
    kept.tag([Path("/runs/a"), Path("/runs/b")], f"tag-{number}")
    print(number, flush=True)
"""


@pytest.fixture
def kept(tmp_path: Path) -> Annotations:
    return Annotations(tmp_path / "data" / "annotations.sqlite")


def test_what_is_said_of_a_run_is_read_back_and_can_be_taken_back(kept: Annotations) -> None:
    kept.tag([A, B], "paper")
    kept.tag([A], "baseline")
    kept.note(A, "lost its reference\nat step 12")
    kept.archive([B])
    assert kept.of_runs([A, B, Path("/runs/c")]) == [
        Annotation(("baseline", "paper"), "lost its reference\nat step 12"),
        Annotation(("paper",), is_archived=True),
        Annotation(),
    ]
    kept.untag([A, B], "paper")
    kept.note(A, " ")
    kept.restore([B])
    assert kept.of_runs([A, B]) == [Annotation(("baseline",)), Annotation()]


def test_nothing_is_made_before_there_is_something_to_keep(kept: Annotations) -> None:
    assert kept.of_runs([A]) == [Annotation()]
    assert not kept.place.parent.exists()


def test_a_run_is_known_by_its_real_path_whatever_leads_there(kept: Annotations, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "run")
    kept.tag([tmp_path / "link"], "here")
    assert kept.of_runs([tmp_path / "run"]) == [Annotation(("here",))]
    assert list((tmp_path / "run").iterdir()) == []


def test_a_name_that_is_no_utf_8_can_be_tagged(kept: Annotations) -> None:
    odd = Path(os.fsdecode(b"/runs/\xff\xfe"))
    kept.tag([odd], "odd")
    assert kept.of_runs([odd]) == [Annotation(("odd",))]


def test_hostile_words_are_kept_so_that_every_character_can_be_seen(kept: Annotations) -> None:
    kept.tag([A], EVERYTHING[:20])
    kept.note(A, EVERYTHING + "\ud800")
    (said,) = kept.of_runs([A])
    assert not DANGEROUS & set(said.tags[0] + said.note)


@pytest.mark.parametrize("tag", ["", " \t", "x" * 65, "x" * 1_000_000])
def test_a_tag_of_no_use_is_refused_in_a_sentence(kept: Annotations, tag: str) -> None:
    with pytest.raises(AnnotationError, match=r"A tag (needs at least one|has at most 64 characters)"):
        kept.tag([A], tag)


def test_a_note_of_a_megabyte_is_refused_and_the_one_before_stays(kept: Annotations) -> None:
    kept.note(A, "short")
    with pytest.raises(
        AnnotationError, match=f"A note has at most {LONGEST_NOTE:,} characters; this one has 1,000,000"
    ):
        kept.note(A, "x" * 1_000_000)
    assert kept.of_runs([A]) == [Annotation(note="short")]


def test_the_file_is_for_its_user_alone_and_lies_where_the_user_keeps_data(
    kept: Annotations, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.tag([A], "x")
    assert stat.S_IMODE(kept.place.stat().st_mode) == 0o600
    monkeypatch.setenv("XDG_DATA_HOME", "/d")
    assert Annotations.of_user().place == Path("/d/rlvitals/annotations.sqlite")


def test_a_broken_file_is_told_and_left_alone(kept: Annotations) -> None:
    kept.place.parent.mkdir()
    kept.place.write_bytes(b"not a database " * 100)
    for question in (lambda: kept.of_runs([A]), lambda: kept.tag([A], "x")):
        with pytest.raises(AnnotationError, match="cannot be used: file is not a database"):
            question()
    assert kept.place.read_bytes() == b"not a database " * 100


def test_the_file_of_a_newer_version_is_told_and_left_alone(kept: Annotations) -> None:
    kept.tag([A], "x")
    with sqlite3.connect(kept.place) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(AnnotationError, match="were written by a newer rlvitals"):
        kept.tag([A], "y")


@pytest.mark.process
def test_processes_that_write_at_once_lose_nothing(kept: Annotations) -> None:
    spawned = multiprocessing.get_context("spawn")
    writers = [spawned.Process(target=write_tags, args=(kept.place, number)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    (said,) = kept.of_runs([A])
    assert len(said.tags) == WRITERS * TAGS_EACH


def write_tags(place: Path, number: int) -> None:
    for tag in range(TAGS_EACH):
        Annotations(place).tag([A], f"{number}-{tag}")


@pytest.mark.process
def test_a_writer_that_is_killed_leaves_every_change_whole(kept: Annotations) -> None:
    writer = subprocess.Popen([sys.executable, "-c", ENDLESS, kept.place], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    told = [int(writer.stdout.readline()) for _ in range(20)]
    time.sleep(0.02)
    writer.send_signal(signal.SIGKILL)
    writer.wait(20)
    one, other = kept.of_runs([A, B])
    assert one == other
    assert len(one.tags) > told[-1]
    kept.tag([A], "afterwards")
    assert "afterwards" in kept.of_runs([A])[0].tags
