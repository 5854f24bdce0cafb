"""Writers of sampled completions: per-step files as trainers dump them, logs with a step in each row, and episodes."""

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pyarrow
import pyarrow.parquet
import yaml

from diagnostics.readers.base import Reader
from diagnostics.readers.run_directory import reader as runlog
from diagnostics.readers.samples import completions, trajectories
from diagnostics.readers.samples import json_lines as sample_logs
from diagnostics.readers.samples import parquet as sample_parquet
from diagnostics.runlog import RunLog
from tests.diagnostics.readers.writers.databases import TrackioWriter, in_words
from tests.diagnostics.readers.writers.writer import Growth, RunWriter


class Answer(NamedTuple):
    """One sampled completion."""

    query: str
    response: str
    score: float


class SampleWriter(RunWriter):
    """A run of samples; `file` is the one written last, and `corrupt` damages one of its rows."""

    growth = Growth.BY_STEP
    keeps_nan: ClassVar[bool] = True  # else the producer writes null instead
    is_read_by_rows: ClassVar[bool] = True  # else damage anywhere makes the whole file unreadable

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path

    def write(self, step: int, answers: Sequence[Answer]) -> None:
        """Write the answers of one step."""
        self.write_steps({step: answers})

    @abstractmethod
    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        """Write the answers of many steps."""

    def corrupt(self, place: int) -> None:
        lines = self.file.read_bytes().splitlines(keepends=True)
        lines[place] = b"x" + lines[place][1:]
        self.file.write_bytes(b"".join(lines))


class RunLogSamplesWriter(SampleWriter):
    """The samples of one of our run directories, appended to one file."""

    form, mark = "rlvitals", "run.json"
    growth = Growth.APPENDED

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path / "samples.jsonl"
        self._log = RunLog(path, algorithm="grpo")

    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        for step, answers in steps.items():
            self._log.log(step, {}, [answer._asdict() for answer in answers])

    def reader(self) -> Reader:
        return runlog.Reader(self.path)

    def close(self) -> None:
        self._log.close()


class TrackioTablesWriter(SampleWriter):
    """The tables of completions in trackio's database: one row per call, containing its table."""

    form, mark = "trackio", "*.db"
    growth = Growth.IN_PLACE
    begins_empty = False  # a run takes its name from its rows
    is_read_by_rows = False

    def __init__(self, path: Path) -> None:
        self._log = TrackioWriter(path)
        self.path, self.file = path, self._log.file

    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        self._log.store((step, {"completions": _table(answers)}) for step, answers in steps.items())

    def corrupt(self, place: int) -> None:
        self._log.corrupt(place)

    def reader(self) -> Reader:
        return self._log.reader()


class TrlWriter(SampleWriter):
    """TRL's completions: a parquet file for each step, with a column for each reward function."""

    form, mark = "completions", "*[0-9].parquet"
    is_read_by_rows = False

    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        for step, answers in steps.items():
            rows = [
                {"step": step, "prompt": query, "completion": response, "accuracy": score, "advantage": 0.0}
                for query, response, score in answers
            ]
            self.file = self.path / f"completions_{step:05d}.parquet"
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), self.file)

    def corrupt(self, place: int) -> None:
        content = bytearray(self.file.read_bytes())
        content[-8:-4] = b"\xff" * 4  # the length of its footer
        self.file.write_bytes(content)

    def reader(self) -> Reader:
        return completions.Reader(self.path)


class VerlWriter(SampleWriter):
    """verl's rollout dumps: a JSON-lines file for each step."""

    form, mark = "completions", "*.jsonl"

    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        for step, answers in steps.items():
            self.file = self.path / f"{step}.jsonl"
            _write_lines(self.file, ({"input": q, "output": r, "score": s, "step": step} for q, r, s in answers))

    def reader(self) -> Reader:
        return completions.Reader(self.path)


class SampleLogWriter(SampleWriter):
    """JSON lines of completions, appended to one file for all steps."""

    form, mark = "samples", "*.jsonl"
    growth = Growth.APPENDED

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.file = path / "completions.jsonl"
        self.file.touch()

    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        rows = [
            {"step": step, "prompt": q, "completion": r, "reward": s}
            for step, answers in steps.items()
            for q, r, s in answers
        ]
        with self.file.open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def reader(self) -> Reader:
        return sample_logs.Reader(self.file)


class SampleParquetWriter(SampleWriter):
    """One parquet file with the completions of all steps, rewritten whenever more are added."""

    form, mark = "samples-parquet", "*.parquet"
    growth = Growth.WHOLE

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.file = path / "rollouts.parquet"
        self._rows: list[tuple[int | None, Answer]] = []
        self._save()

    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        self._rows += [(step, answer) for step, answers in steps.items() for answer in answers]
        self._save()

    def corrupt(self, place: int) -> None:
        self._rows[place] = None, self._rows[place][1]
        self._save()

    def _save(self) -> None:
        columns = {
            "step": pyarrow.array([step for step, _ in self._rows], pyarrow.int64()),
            "prompt": pyarrow.array([answer.query for _, answer in self._rows], pyarrow.string()),
            "completion": pyarrow.array([answer.response for _, answer in self._rows], pyarrow.string()),
            "reward": pyarrow.array([answer.score for _, answer in self._rows], pyarrow.float64()),
        }
        pyarrow.parquet.write_table(pyarrow.table(columns), self.file)

    def reader(self) -> Reader:
        return sample_parquet.Reader(self.file)


class EpisodesWriter(SampleWriter):
    """Episodes in folders by step, below `root`."""

    form = "trajectories"
    begins_empty = False  # its layout is recognised by its first step
    folder: ClassVar[str]

    @property
    def root(self) -> Path:
        return self.path / self.folder

    def write_steps(self, steps: Mapping[int, Sequence[Answer]]) -> None:
        for step, answers in steps.items():
            self.write_step(step, answers)

    @abstractmethod
    def write_step(self, step: int, answers: Sequence[Answer]) -> None:
        """Write the episodes of one step."""

    def reader(self) -> Reader:
        return trajectories.Reader(self.root)


class PrimeWriter(EpisodesWriter):
    """prime-rl's traces: one verifiers episode per line, serialised by orjson."""

    mark, folder = "traces.jsonl", "rollouts"
    keeps_nan = False

    def write_step(self, step: int, answers: Sequence[Answer]) -> None:
        self.file = self.root / f"step_{step}" / "train" / "effective" / "traces.jsonl"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        _write_lines(self.file, map(_trace, answers))


class RllmWriter(EpisodesWriter):
    """rLLM's episodes: one JSON file each."""

    mark, folder = "episode_hash*.json", "episodes"

    def write_step(self, step: int, answers: Sequence[Answer]) -> None:
        folder = self.root / f"train_step_{step}_epoch_0"
        folder.mkdir(parents=True, exist_ok=True)
        for number, (query, response, score) in enumerate(answers):
            last = {"model_response": response, "chat_completions": _messages(query, response), "done": True}
            episode = {"task": query, "is_correct": True, "trajectories": [{"reward": score, "steps": [last]}]}
            self.file = folder / f"episode_hash1a2b3c4d_id{number}_0.json"
            self.file.write_text(json.dumps(episode, indent=2) + "\n")

    def corrupt(self, place: int) -> None:
        (self.file.parent / f"episode_hash1a2b3c4d_id{place}_0.json").write_text("{")


class ArtWriter(EpisodesWriter):
    """ART's trajectories: the groups of one step, dumped by PyYAML."""

    mark, folder = "[0-9][0-9][0-9][0-9]*.yaml", "trajectories"
    is_read_by_rows = False

    def write_step(self, step: int, answers: Sequence[Answer]) -> None:
        self.file = self.root / "train" / f"{step:04d}.yaml"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(yaml.dump([{"trajectories": [_trajectory(answer)]} for answer in answers]))

    def corrupt(self, place: int) -> None:
        self.file.write_bytes(b"[" + self.file.read_bytes())


def _write_lines(file: Path, rows: Iterable[Any]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _table(answers: Iterable[Answer]) -> Any:
    rows = [{"prompt": query, "completion": response, "reward": in_words(score)} for query, response, score in answers]
    return {"_type": "trackio.table", "_value": rows}


def _messages(query: str, response: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": query}, {"role": "assistant", "content": response}]


def _trace(answer: Answer) -> Any:
    asked, answered = _messages(answer.query, answer.response)
    nodes = [{"parent": None, "message": asked, "sampled": False}, {"parent": 0, "message": answered, "sampled": True}]
    rewards = {"exact": {"score": answer.score, "weight": 1.0}}
    return {"traces": [{"nodes": nodes, "rewards": rewards, "is_completed": True}]}


def _trajectory(answer: Answer) -> Any:
    asked, answered = _messages(answer.query, answer.response)
    choice = {"finish_reason": "stop", "index": 0, "message": answered}
    empty = {"metrics": {}, "metadata": {}, "logs": []}
    return {"reward": answer.score, "messages_and_choices": [asked, choice], **empty}
