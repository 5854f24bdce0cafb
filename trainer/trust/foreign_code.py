"""What a configuration would execute besides rlvitals itself, with a hash of its content."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from diagnostics.foreign_files import open_regular
from diagnostics.told import told
from trainer.config.local_or_hub import DATASET_SUFFIXES, is_path
from trainer.config.options import ConfigError
from trainer.config.reward_names import is_file
from trainer.config.training import TrainConfig
from trainer.launch.arguments import Plan
from trainer.launch.resuming import ENGINE_FOLDER, checkpoint_folder
from trainer.trust.model_folder import base_of_adapter, code_on_hub, pickled_weights, python_files
from trainer.trust.python_imports import with_modules_beside

MOST_BYTES = 64 * 2**30
"""Of one file: hashing more takes minutes, and no weights file is larger."""
_REWARD_MODEL = "reward_model:"
_HASH_DIGITS = 12  # shown of a hash
_PART_BYTES = 1 << 20  # hashed at a time
_LONGEST_LINE = 120  # characters shown of a file


class Kind(StrEnum):
    """What a piece of foreign code is, as messages call it."""

    REWARD_FILE = "reward function file"
    MODEL_CODE = "Python code of a model"
    HUB_CODE = "code on the Hugging Face hub"
    KERNEL = "compiled kernel on the Hugging Face hub"
    PICKLED_WEIGHTS = "pickled weights"
    PICKLED_STATE = "pickled training state"
    DATASET_SCRIPT = "dataset script"


@dataclass(frozen=True, slots=True)
class ForeignCode:
    """Something that a training executes: files here, or a name on the hub, whose content is not known before."""

    kind: Kind
    place: str
    sha256: str
    """Of the content of a single file, of the sorted hashes and names of several, of the name on the hub."""
    size: int
    """In bytes; 0 on the hub."""
    options: frozenset[str]
    """The options that name it together."""
    beginning: str = ""
    """The first line of a reward function file."""

    @classmethod
    def of_files(cls, kind: Kind, files: Sequence[Path], options: Iterable[str], place: Path | None = None) -> Self:
        """The code in these files; `place` names them where it is not the first of them.

        Raises:
            ConfigError: A file cannot be read, or is too large to be hashed.
        """
        shown, size = place or files[0], sum(map(_size, files))
        beginning = _first_line(shown) if kind is Kind.REWARD_FILE else ""
        return cls(kind, str(shown), _digest(files, shown), size, frozenset(options), beginning)

    @classmethod
    def on_hub(cls, kind: Kind, name: str, options: Iterable[str]) -> Self:
        """The code at a name on the hub, which is remembered by that name."""
        return cls(kind, name, hashlib.sha256(f"hub:{name}".encode()).hexdigest(), 0, frozenset(options))

    def __str__(self) -> str:
        """One line for a terminal: `reward function file /x/reward.py (312 bytes, sha256 3f2a1b…)`."""
        shown = self.place if self.place.isprintable() else ascii(self.place)
        size = f"{self.size:,} bytes, " if self.size else ""
        return f"{self.kind} {shown} ({size}sha256 {self.sha256[:_HASH_DIGITS]}…)"


def code_in(config: TrainConfig, checkpoint: Path | None = None) -> tuple[ForeignCode, ...]:
    """Everything that a training with this configuration executes besides rlvitals; resumed from `checkpoint`, if any.

    Raises:
        ConfigError: A file cannot be read, or is too large to be hashed.
    """
    resumed = _code_of_state(checkpoint) if checkpoint else ()
    return tuple(dict.fromkeys((*_code_of_rewards(config), *code_of_model_and_data(config), *resumed)))


def code_of_plan(plan: Plan) -> tuple[ForeignCode, ...]:
    """Everything that a planned training executes besides rlvitals. Raises ConfigError as `code_in` does."""
    if plan.directory is None or not plan.resumed_step:
        return code_in(plan.config)
    return code_in(plan.config, checkpoint_folder(plan.directory, plan.resumed_step))


def code_of_model_and_data(config: TrainConfig) -> tuple[ForeignCode, ...]:
    """The code that loading the model and the datasets executes. Raises ConfigError as `code_in` does."""
    model = config.model_name_or_path
    found = list(_dataset_scripts(config))
    if model:
        found += code_of_model(model, {"model_name_or_path"}, config.trust_remote_code, config.model_revision)
    if config.attn_implementation and "/" in config.attn_implementation:
        found.append(ForeignCode.on_hub(Kind.KERNEL, config.attn_implementation, {"attn_implementation"}))
    return tuple(found)


def code_of_tokenizer_and_data(config: TrainConfig) -> tuple[ForeignCode, ...]:
    """The code that loading the tokenizer and the datasets executes: no weights. Raises ConfigError as `code_in`."""
    of_weights = (Kind.PICKLED_WEIGHTS, Kind.KERNEL)
    return tuple(item for item in code_of_model_and_data(config) if item.kind not in of_weights)


def code_of_model(
    name: str, options: Iterable[str], trusts_remote_code: bool = False, revision: str = "main"
) -> Iterator[ForeignCode]:
    """The code that loading a model executes: its own, its pickles, and those of the model below an adapter.

    Args:
        options: The options that name the model.
        trusts_remote_code: The value of trust_remote_code; without it transformers runs no code of a model.
    """
    options = frozenset(options)
    with_flag = options | {"trust_remote_code"}
    seen, waiting = set[str](), [name]
    while waiting:
        model = waiting.pop()
        if model in seen:
            continue
        seen.add(model)
        if not is_path(model):
            if trusts_remote_code:
                yield ForeignCode.on_hub(Kind.HUB_CODE, f"{model}@{revision}", with_flag)
            continue
        folder = Path(model).expanduser().resolve()
        if trusts_remote_code:
            if files := python_files(folder):
                yield ForeignCode.of_files(Kind.MODEL_CODE, files, with_flag, folder)
            yield from (ForeignCode.on_hub(Kind.HUB_CODE, named, with_flag) for named in code_on_hub(folder))
        if files := pickled_weights(folder):
            yield ForeignCode.of_files(Kind.PICKLED_WEIGHTS, files, options, folder)
        waiting += base_of_adapter(folder)


def _code_of_rewards(config: TrainConfig) -> Iterator[ForeignCode]:
    for name in config.reward_funcs:
        if name.startswith(_REWARD_MODEL):
            yield from code_of_model(name.removeprefix(_REWARD_MODEL), {"reward_funcs"})
        elif is_file(name):
            path, _, _ = name.rpartition(":")
            file = Path(path).expanduser().resolve()
            if file.is_file():  # without one the training ends with a sentence before anything runs
                yield ForeignCode.of_files(Kind.REWARD_FILE, with_modules_beside(file), {"reward_funcs"})


def _dataset_scripts(config: TrainConfig) -> Iterator[ForeignCode]:
    """The script in a dataset's folder that has the folder's name: `datasets` up to version 3 may run it."""
    for option in ("dataset", "eval_dataset"):
        name = getattr(config, option)
        if name and is_path(name, DATASET_SUFFIXES):
            folder = Path(name).expanduser().resolve()
            if (script := folder / f"{folder.name}.py").is_file():
                yield ForeignCode.of_files(Kind.DATASET_SCRIPT, [script], {option})


def _code_of_state(checkpoint: Path) -> tuple[ForeignCode, ...]:
    """What resuming unpickles: DeepSpeed's files. Our own trainer_state.pt is read as plain data (weights_only)."""
    files = sorted(path for path in (checkpoint / ENGINE_FOLDER).rglob("*") if path.is_file())
    return (ForeignCode.of_files(Kind.PICKLED_STATE, files, {"resume"}, checkpoint / ENGINE_FOLDER),) if files else ()


def _digest(files: Sequence[Path], place: Path) -> str:
    """Of one file what `sha256sum FILE` prints; of several the hash of the sorted lines that it prints."""
    if len(files) == 1:
        return _sha256(files[0])
    root = place if place.is_dir() else place.parent
    lines = sorted(f"{_sha256(file)}  {os.path.relpath(file, root)}" for file in files)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _sha256(file: Path) -> str:
    try:
        if (size := _size(file)) > MOST_BYTES:
            raise ConfigError(
                told("{file} would be run, but with {size:,} bytes it is too large to be checked", file=file, size=size)
            )
        digest = hashlib.sha256()
        with open_regular(file) as content:
            while part := content.read(_PART_BYTES):
                digest.update(part)
        return digest.hexdigest()
    except OSError as error:
        raise ConfigError(
            told("{file} would be run, but cannot be read: {problem}", file=file, problem=error.strerror)
        ) from error


def _first_line(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline(_LONGEST_LINE).rstrip()


def _size(file: Path) -> int:
    return file.stat().st_size
