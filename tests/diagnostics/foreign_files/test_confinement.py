"""A confined process reads nothing through a link that leads out of the folders that it shows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.api import open_run
from diagnostics.foreign_files import LeadsOutside, confine_to, open_regular, read_whole
from diagnostics.foreign_files.confinement import check_inside
from diagnostics.runlog import RunLog


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Path]:
    """The folder that this process is confined to; a secret lies beside it."""
    (tmp_path / "shown").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    confine_to(lambda: [tmp_path / "shown"])
    yield tmp_path / "shown"
    confine_to(None)


def test_a_link_to_a_file_outside_is_not_opened(shown: Path) -> None:
    (shown / "link").symlink_to(shown.parent / "secret.txt")
    with pytest.raises(LeadsOutside, match="it leads outside of the folders shown"):
        open_regular(shown / "link")
    with pytest.raises(LeadsOutside):
        check_inside(shown / "link")


def test_a_file_below_a_linked_folder_is_not_opened(shown: Path) -> None:
    (shown / "folder").symlink_to(shown.parent)
    with pytest.raises(LeadsOutside):
        open_regular(shown / "folder" / "secret.txt")


def test_links_within_and_names_outside_are_read(shown: Path) -> None:
    (shown / "file").write_text("own")
    (shown / "link").symlink_to(shown / "file")
    (shown.parent / "alias").symlink_to(shown)
    assert read_whole(shown / "link") == read_whole(shown.parent / "alias" / "file") == b"own"
    assert read_whole(shown.parent / "secret.txt") == b"secret"  # not by an address of a page: that has its boundary


def test_a_folder_shown_by_a_link_to_it_is_inside(shown: Path) -> None:
    (shown / "file").write_text("own")
    (shown.parent / "alias").symlink_to(shown)
    confine_to(lambda: [shown.parent / "alias"])
    assert read_whole(shown.parent / "alias" / "file") == b"own"
    assert read_whole(shown / "file") == b"own"


def test_a_run_whose_samples_are_a_link_elsewhere_says_so(shown: Path) -> None:
    with RunLog(shown / "a", algorithm="grpo") as log:
        log.log(1, {"reward": 1.0})
    samples = shown / "a" / "samples.jsonl"
    samples.unlink(missing_ok=True)
    samples.symlink_to(shown.parent / "secret.txt")
    run = open_run(shown / "a")
    assert run.steps.tolist() == [1]
    assert any("samples.jsonl" in note and "it leads outside of the folders shown" in note for note in run.notes)
