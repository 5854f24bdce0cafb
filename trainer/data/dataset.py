"""The rows of a training, prompts with their columns, from a file, `datasets` or a demo task. Imports no torch."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from diagnostics.told import told
from trainer.config.local_or_hub import DATASET_SUFFIXES, check_dataset, is_path
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.data.conversations import is_conversation, prompt_text
from trainer.tasks import get_task

Row: TypeAlias = Mapping[str, Any]
"""`prompt`, a text or a list of messages, and the columns that reward functions read."""
Numbered: TypeAlias = tuple[str, Any]
"""A row's location ("line 3"), and the row."""

_SHOWN = 80
"""Characters quoted of an invalid prompt."""
_SAVED_BY_DATASETS = ("dataset_dict.json", "state.json")


def load_rows(config: TrainConfig) -> list[Row]:
    """The training rows: the dataset's, or the demo task's in seeded order.

    Raises:
        ConfigError: the dataset cannot be read, is empty, or a row has no prompt.
    """
    if config.dataset is None:
        return list(get_task(config.task).prompts(seed=config.seed))
    return read_dataset(config.dataset, config.dataset_config, config.dataset_train_split)


def load_eval_rows(config: TrainConfig) -> list[Row]:
    """The held-out rows: those of `eval_dataset`, else of the dataset's test split, else of the demo task.

    A file has no splits, so a dataset file needs an `eval_dataset`. The test split is read of an `eval_dataset` that
    `datasets` loads.

    Raises:
        ConfigError: There are none, or they cannot be read.
    """
    if config.eval_dataset is not None:
        return read_dataset(config.eval_dataset, config.dataset_config, config.dataset_test_split)
    if config.dataset is None:
        return list(get_task(config.task).prompts("eval", seed=config.seed))
    if _is_file(config.dataset):
        raise ConfigError(
            told(
                "the dataset {dataset} is a file without a split that is kept out of training; name an eval_dataset",
                dataset=config.dataset,
            )
        )
    return read_dataset(config.dataset, config.dataset_config, config.dataset_test_split)


def first_prompts(config: TrainConfig, count: int) -> list[str]:
    """A few training prompts as text, without a download: none for a dataset that `datasets` loads.

    Raises:
        ConfigError: the dataset cannot be read, is empty, or one of these rows has no prompt.
    """
    if config.dataset is None:
        return [prompt_text(row["prompt"]) for row in get_task(config.task).prompts(seed=config.seed)[:count]]
    check_dataset(config.dataset, "dataset")
    if not _is_file(config.dataset):
        return []
    rows = _checked(config.dataset, islice(_rows_of_file(Path(config.dataset)), count))
    return [prompt_text(row["prompt"]) for row in rows]


def read_dataset(name: str, subset: str | None = None, split: str = "train") -> list[Row]:
    """All rows of a JSONL, CSV, TSV or parquet file, or of a split that `datasets` loads from a folder or the hub.

    Args:
        subset: The configuration of a hub dataset that has several, as in `load_dataset`.

    Raises:
        ConfigError: it cannot be read, is empty, or a row has no prompt.
    """
    check_dataset(name, "dataset")
    numbered = _rows_of_file(Path(name)) if _is_file(name) else _rows_of_datasets(name, subset, split)
    return _checked(name, numbered)


def _is_file(name: str) -> bool:
    return is_path(name, DATASET_SUFFIXES) and not Path(name).is_dir()


def _checked(name: str, numbered: Iterator[Numbered]) -> list[Row]:
    rows: list[Row] = []
    for place, row in numbered:
        prompt = row.get("prompt") if isinstance(row, dict) else None
        if not _is_prompt(prompt):
            raise ConfigError(
                told(
                    "{place} of the dataset {name} has {found}; every row needs one, a text or a list of "
                    'messages with a text each such as [{{"role": "user", "content": "Hello"}}]',
                    place=place,
                    name=name,
                    found=_prompt_stand_in(prompt),
                )
            )
        rows.append(row)
    if not rows:
        raise ConfigError(
            told('the dataset {name} is empty; it needs at least one row such as {{"prompt": "Hello"}}', name=name)
        )
    return rows


def _is_prompt(prompt: object) -> bool:
    return (isinstance(prompt, str) and bool(prompt)) or is_conversation(prompt)


def _prompt_stand_in(prompt: object) -> str:
    """What the row has instead of a prompt, shortened."""
    if not prompt:
        return told("no `prompt`")
    text = json.dumps(prompt, default=str)
    return told("the `prompt` {text}", text=text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _rows_of_file(path: Path) -> Iterator[Numbered]:
    try:
        yield from _FORMATS[path.suffix.lower()](path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(told("the dataset {path} cannot be read: {error}", path=path, error=error)) from error


def _jsonl(path: Path) -> Iterator[Numbered]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield told("line {number}", number=number), json.loads(line)
                except json.JSONDecodeError as error:
                    raise ConfigError(
                        told(
                            "line {number} of the dataset {path} is not valid JSON: {error}",
                            number=number,
                            path=path,
                            error=error,
                        )
                    ) from error


def _json(path: Path) -> Iterator[Numbered]:
    """A single array of objects; otherwise one object per line, as in many files with this suffix."""
    text = path.read_text("utf-8-sig")
    if not text.lstrip().startswith("["):
        yield from _jsonl(path)
        return
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(
            told(
                "line {number} of the dataset {path} is not valid JSON: {error}",
                number=error.lineno,
                path=path,
                error=error,
            )
        ) from error
    yield from ((told("row {number}", number=number), row) for number, row in enumerate(rows, start=1))


def _csv(path: Path) -> Iterator[Numbered]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
        if "prompt" not in (rows.fieldnames or ()):
            raise ConfigError(
                told(
                    "the dataset {path} has no column `prompt` (columns: {listed})",
                    path=path,
                    listed=_listed(rows.fieldnames),
                )
            )
        while True:
            line = rows.line_num + 1
            if (row := next(rows, None)) is None:
                return
            if None in row:
                raise ConfigError(
                    told(
                        "line {line} of the dataset {path} has more fields than the header has columns",
                        line=line,
                        path=path,
                    )
                )
            yield f"line {line}", row


def _parquet(path: Path) -> Iterator[Numbered]:
    try:
        import pyarrow  # noqa: PLC0415 - an extra, and half a second to import
        from pyarrow import parquet  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(
            told("reading {path} needs pyarrow; install it with: pip install 'rlvitals[data]'", path=path)
        ) from error
    try:
        table = parquet.read_table(path)
    except pyarrow.ArrowException as error:
        raise ConfigError(told("the dataset {path} cannot be read: {error}", path=path, error=error)) from error
    if "prompt" not in table.column_names:
        raise ConfigError(
            told(
                "the dataset {path} has no column `prompt` (columns: {listed})",
                path=path,
                listed=_listed(table.column_names),
            )
        )
    yield from ((told("row {number}", number=number), row) for number, row in enumerate(table.to_pylist(), start=1))


_FORMATS: Mapping[str, Callable[[Path], Iterator[Numbered]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".tsv": _csv,
    ".parquet": _parquet,
}


def _rows_of_datasets(name: str, subset: str | None, split: str) -> Iterator[Numbered]:
    try:
        import datasets  # noqa: PLC0415 - an extra, and seconds to import
    except ModuleNotFoundError as error:
        raise ConfigError(
            told(
                "the dataset {name} is not a file, and reading it needs `datasets`; install it with: pip install "
                "'rlvitals[data]', or give a JSONL, CSV or parquet file",
                name=name,
            )
        ) from error
    datasets.disable_progress_bars()
    saved = any((Path(name) / mark).is_file() for mark in _SAVED_BY_DATASETS)
    try:
        loaded = datasets.load_from_disk(name) if saved else datasets.load_dataset(name, subset, split=split)
    except (OSError, ValueError, datasets.exceptions.DatasetsError) as error:
        raise ConfigError(
            told(
                "`datasets` cannot load {name} (subset {subset}, split {split}): {first_line}; a local JSONL, CSV "
                "or parquet file works without a network",
                name=name,
                subset=subset or "default",
                split=split,
                first_line=_first_line(error),
            )
        ) from error
    table = _split_of(loaded, name, split) if isinstance(loaded, datasets.DatasetDict) else loaded
    yield from ((told("row {number}", number=number), row) for number, row in enumerate(table, start=1))


def _split_of(splits: Any, name: str, split: str) -> Any:
    if split not in splits:
        raise ConfigError(
            told(
                "the dataset {name} has no split {split!r} (splits: {listed})",
                name=name,
                split=split,
                listed=_listed(list(splits)),
            )
        )
    return splits[split]


def _listed(names: Sequence[str] | None) -> str:
    return ", ".join(names or ()) or "none"


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
