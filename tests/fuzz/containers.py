"""Damage to what holds a log: special files and links in a file's place, files in a folder's place, nested runs."""

import os
import random
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.damage import Damage, Damaged, files_of, folders_of

FILE_NAMES = (
    *("run.json", "status.json", "events.jsonl", "samples.jsonl", "console.log", "rlvitals.toml", "README.md"),
    *("wandb-export.json", "history.jsonl", "system.jsonl", "output.log", "trainer_state.json", "progress.json"),
    *("events.out.tfevents.1700000000.host.1.0", "run-abc.wandb", "run-abc.swanlab", "labppo.db", "mlflow.db"),
    *("meta.yaml", "log_1700000000.txt", "rollout_info.jsonl", "training_info.jsonl", "val_split_metrics.jsonl"),
    *("completions_00001.parquet", "1.jsonl", "rollouts.parquet", "completions.jsonl", "traces.jsonl", "0001.yaml"),
    *("episode_hash1_id0_0.json", "export.csv", "log.csv", "metrics.jsonl", "run.log", "train.out", "notes.txt"),
    *("train.ipynb", "step_logs.json"),
    *("1700000001.0/hparams.yml", "files/config.yaml", "files/requirements.txt", "files/wandb-metadata.json"),
    *("files/media/table/a_1_b.table.json", "checkpoint-8/trainer_state.json", "config.json", "hparams.yml"),
)
"""Names that some reader opens."""

DEPTH = 200  # of nested folders
LONGEST_PATH = 5_000  # letters


def _link(target: str) -> Callable[[Path], None]:
    return lambda place: place.symlink_to(target)


def _link_to_itself(place: Path) -> None:
    place.symlink_to(place.name)


def _loop(place: Path) -> None:
    other = place.with_name(f"{place.name}-other")
    other.symlink_to(place.name)
    place.symlink_to(other.name)


def _socket(place: Path) -> None:
    os.mknod(place, stat.S_IFSOCK | 0o600)


def _unreadable(place: Path) -> None:
    place.write_bytes(b"{}\n")
    place.chmod(0)


SPECIAL: dict[str, Callable[[Path], None]] = {
    "a folder": Path.mkdir,
    "a FIFO": os.mkfifo,
    "a socket": _socket,
    "a link to itself": _link_to_itself,
    "a loop of links": _loop,
    "a dangling link": _link("nothing-here"),
    "a link to the folder above": _link(".."),
    "/dev/zero": _link("/dev/zero"),
    "/dev/urandom": _link("/dev/urandom"),
    "/dev/full": _link("/dev/full"),
    "/dev/null": _link("/dev/null"),
    "a file of mode 000": _unreadable,
}
"""What may be in a file's place; root reads files of mode 000 nevertheless."""


def in_a_files_place(draw: random.Random, folder: Path) -> Damaged:
    """One of the run's files becomes something special."""
    place = draw.choice(files_of(folder))
    place.unlink()
    return Damaged(folder, f"{_special(draw, place)} in the place of {place.relative_to(folder)}")


def under_a_known_name(draw: random.Random, folder: Path) -> Damaged:
    """Something special appears under a name that a reader looks for."""
    place = draw.choice(folders_of(folder)) / draw.choice(FILE_NAMES)
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.unlink()
    return Damaged(folder, f"{_special(draw, place)} at {place.relative_to(folder)}")


def in_a_folders_place(draw: random.Random, folder: Path) -> Damaged:
    """One of the run's folders, or its own, becomes a file or something special."""
    place = draw.choice(folders_of(folder))
    shutil.rmtree(place)
    if draw.random() < 0.3:
        place.write_bytes(b'{"step": 1}\n')
        return Damaged(folder, f"a file in the place of the folder {place.name}")
    return Damaged(folder, f"{_special(draw, place)} in the place of the folder {place.name}")


def nested(draw: random.Random, folder: Path) -> Damaged:
    """The run again, inside of itself: once in each of its folders, or under many nested ones."""
    copy = shutil.copytree(folder, folder.with_name("copy"), symlinks=True)
    if draw.random() < 0.5:
        for number, place in enumerate(folders_of(folder)[:10]):
            shutil.copytree(copy, place / f"nested-{number}")
        return Damaged(folder, "copies of the run in its folders")
    deep = folder.joinpath(*["d"] * draw.randrange(2, DEPTH))
    deep.mkdir(parents=True)
    copy.rename(deep / "run")
    return Damaged(folder, "a copy of the run below nested folders")


def twice(draw: random.Random, folder: Path) -> Damaged:
    """The files of the run beside each other in one folder, whatever their formats."""
    home = draw.choice(folders_of(folder))
    for file in files_of(folder):
        place = home / file.name
        if not place.exists():
            shutil.copy(file, place)
    return Damaged(folder, f"every file of the run copied into {home.name}")


def path_itself(draw: random.Random, folder: Path) -> Damaged:
    """A path that is none: too long, with a NUL, or below a file."""
    file = draw.choice(files_of(folder))
    paths = {
        "a path of 5,000 letters": Path("x" * LONGEST_PATH),
        "a deep path of 5,000 letters": folder.joinpath(*["d"] * (LONGEST_PATH // 2)),
        "a path with a NUL": folder / "a\0b",
        "a path with a line break": folder / "a\nb",
        "a path that is no UTF-8": folder / "a\udcffb",
        "a path below a file": file / "below",
        "a file instead of the folder": file,
        "a path that does not exist": folder / "missing",
        "a path through ..": folder / ".." / folder.name / "..",
    }
    what = draw.choice(list(paths))
    return Damaged(paths[what], what)


def _special(draw: random.Random, place: Path) -> str:
    what = draw.choice(list(SPECIAL))
    SPECIAL[what](place)
    return what


CONTAINERS: tuple[Damage, ...] = (
    *(in_a_files_place, in_a_files_place, under_a_known_name, under_a_known_name),
    *(in_a_folders_place, nested, twice, path_itself),
)
