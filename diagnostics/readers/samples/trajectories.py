"""The reader of trajectories: whole episodes of agents as prime-rl, rLLM and ART keep them, in folders by step.

prime-rl   rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl, an episode of verifiers in each line
rLLM       episodes/{train,val}_step_N_epoch_E/episode_hashH_idI.json, an episode in each file
ART        trajectories/{train,val}/NNNN.yaml, the groups of one step

A step's files are opened when its samples are asked for, the largest one before, for what the bounds leave out of it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from diagnostics.foreign_files import read_lines, read_whole
from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.foreign_files.documents import DocumentTooLarge, check_yaml, parse_yaml
from diagnostics.foreign_files.folders import files_in, resolved
from diagnostics.model.recording import Recording, Source
from diagnostics.model.samples import Sample, Samples
from diagnostics.model.status import Status
from diagnostics.readers.base import RunRef, UnreadableRun
from diagnostics.readers.files.json_lines import Row, as_number, parse_row
from diagnostics.readers.run_folder import run_name
from diagnostics.readers.samples.conversations import asked_and_answered
from diagnostics.readers.samples.cut_steps import StepFile, of_largest, refused_largest
from diagnostics.readers.samples.tables import to_samples
from diagnostics.told import told

INSTALL = told("ART's trajectories are YAML and need PyYAML, which is not installed; run: pip install PyYAML")
_EVAL = frozenset({"eval", "val", "test"})
_PRIME_STEP, _PRIME_KINDS = re.compile(r"step_(?P<step>\d+)"), ("effective", "all")  # the former if both exist
_RLLM_STEP = re.compile(r"(?P<split>\w+)_step_(?P<step>\d+)_epoch_\d+")
_ART_FILE = re.compile(r"(?P<step>\d{4,})\.yaml")
_LIMITS = frozenset(
    {"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens", "context_length", "length"}
)
"""How a trace of verifiers ends if it was cut off."""


class Episodes(NamedTuple):
    """The episodes of one step and split: a file, or a folder of files."""

    path: Path
    split: str


Steps = dict[int, list[Episodes]]


class Layout(NamedTuple):
    """How one producer lays out its episodes.

    `depth` is the number of folders between the root and a marked file; `steps` finds the episodes below the root, and
    raises OSError if it cannot be read; `rows` turns a path into sample rows, which may name their reward functions.
    """

    depth: int
    steps: Callable[[Path], Steps]
    rows: Callable[[Path], Iterator[Row]]


def runs_in(folder: Path) -> tuple[RunRef, ...]:
    """The root of the layout that a folder is part of, found at its first step."""
    for layout in LAYOUTS:
        root = next(islice(folder.parents, layout.depth - 1, None), folder)
        if _first_folder(layout, root, root.stat().st_mtime_ns) == folder:
            return (RunRef(root, "trajectories", run_name(root.parent), root.parent),)
    return ()


def start_time(path: Path) -> float | None:
    """Unknown: the folders are named by step."""


class Reader:
    """Follows the folders below a root: a run with samples but no metrics of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: Sequence[StepFile] = ()
        self._largest: Mapping[StepFile, StepFile] = {}  # by folder, its largest file
        self._last: Recording | None = None

    def refresh(self) -> Recording:
        """The run's current Recording; the same object as the last call if nothing changed. Raises UnreadableRun."""
        try:
            layout, steps = _layout_of(self.path)
            seen = [StepFile.at(found.path) for part in steps.values() for found in part]
        except OSError as error:
            raise UnreadableRun(
                self.path, told("{path} is gone: its episodes were there and have been removed", path=self.path)
            ) from error
        if self._last is None or seen != self._seen:
            self._last, self._seen = self._record(layout, steps, seen), seen
        return self._last

    def _record(self, layout: Layout, steps: Steps, seen: Sequence[StepFile]) -> Recording:
        written = max(found.written for found in seen) / 1e9
        return Recording(
            path=self.path,
            sources=(Source("trajectories", self.path),),
            run_id=resolved(self.path).name,
            name=run_name(self.path.parent),
            tags={},
            samples=Samples(tuple(sorted(steps)), partial(load_samples, layout.rows, steps)),
            status=Status(state="unknown", step=max(steps, default=None), last_written=written),
            notes=_notes(self.path, layout, self._largest_of(seen)),
        )

    def _largest_of(self, seen: Sequence[StepFile]) -> StepFile:
        """The largest file; a folder is looked through once for each of its states."""
        self._largest = {found: self._largest.get(found) or _largest_in(found) for found in seen}
        return max(self._largest.values(), key=attrgetter("size"))


def load_samples(rows_of: Callable[[Path], Iterator[Row]], steps: Steps, step: int) -> tuple[Sample, ...]:
    """The samples of one step, one per trajectory; none if its files are gone or incomplete."""
    found: list[Sample] = []
    for episodes in steps[step]:
        rows = list(islice(rows_of(episodes.path), SAMPLE_ROWS))
        functions = frozenset(name for row in rows for name in row.pop("reward_functions", ()))
        found += to_samples(rows, step, functions, episodes.split)
    return tuple(found)


@lru_cache(maxsize=64)
def _notes(root: Path, layout: Layout, largest: StepFile) -> tuple[str, ...]:
    """Sentences about what the bounds leave out of the largest file, which is looked at once for each of its states."""
    if largest.path.suffix == ".jsonl":
        return tuple(of_largest(root, largest, lambda file: sum(1 for _ in layout.rows(file))))
    return tuple(refused_largest(root, largest)) or _yaml_beyond_bound(root, largest.path)


def _largest_in(found: StepFile) -> StepFile:
    """The largest file of a folder of episodes; a file, and a folder without one, itself."""
    if not found.path.is_dir():
        return found
    files = list[StepFile]()
    for file in _episode_files(found.path):
        with suppress(OSError):  # gone meanwhile
            files.append(StepFile.at(file))
    return max(files, key=attrgetter("size"), default=found._replace(size=0))


def _yaml_beyond_bound(root: Path, file: Path) -> tuple[str, ...]:
    """A sentence if a file of ART's holds more than is decoded; one that is no YAML, or none yet, is no matter of
    bounds."""
    try:
        check_yaml(_complete_lines(file) if file.suffix == ".yaml" else b"")
    except DocumentTooLarge as error:
        return (f"{file.relative_to(root)}, the largest file, cannot be read: {error}",)
    except (ValueError, ImportError):
        return ()
    return ()


def _layout_of(root: Path) -> tuple[Layout, Steps]:
    found = [(layout, steps) for layout in LAYOUTS if (steps := layout.steps(root))]
    if not found:
        raise FileNotFoundError(root)
    return found[0]


@lru_cache(maxsize=1024)
def _first_folder(layout: Layout, root: Path, modified: int) -> Path | None:  # modified: anew once a folder is added
    """The folder of the first step, whose mark stands for the whole layout."""
    try:
        steps = layout.steps(root)
    except OSError:  # gone, or no permission
        steps = {}
    if not steps:
        return None
    first = min(steps[min(steps)]).path
    return first if first.is_dir() else first.parent


def _prime_steps(root: Path) -> Steps:
    found: Steps = {}
    for step, folder in _matching(root, _PRIME_STEP):
        for split in sorted(path for path in folder.iterdir() if path.is_dir()):
            files = [split / kind / "traces.jsonl" for kind in _PRIME_KINDS]
            found.setdefault(step, []).extend(
                [Episodes(file, _split(split.name)) for file in files if file.is_file()][:1]
            )
    return {step: part for step, part in found.items() if part}


def _prime_rows(file: Path) -> Iterator[Row]:
    with suppress(OSError):
        for line in read_lines(file):
            for trace in _list((parse_row(line) or {}).get("traces")):
                yield _trace_row(trace)


def _trace_row(trace: Row) -> Row:
    """One trace of verifiers: the path from the root of its messages to the last one, and its reward."""
    nodes = _list(trace.get("nodes"))
    path, place = list[Row](), len(nodes) - 1
    while 0 <= place < len(nodes) and len(path) < len(nodes):
        path.append(nodes[place])
        parent = nodes[place].get("parent")
        place = parent if isinstance(parent, int) else -1
    path.reverse()
    sampled = next((index for index, node in enumerate(path) if node.get("sampled")), len(path))
    rewards = {name: reward for name, reward in _dict(trace.get("rewards")).items() if isinstance(reward, dict)}
    scores = {name: score for name, reward in rewards.items() if (score := as_number(reward.get("score"))) is not None}
    weighted = [score * (as_number(rewards[name].get("weight", 1.0)) or 0.0) for name, score in scores.items()]
    return {
        **asked_and_answered([node.get("message") for node in path], sampled),
        **scores,
        "reward_functions": tuple(scores),
        "reward": sum(weighted) if weighted else None,
        **({"truncated": trace.get("stop_condition") in _LIMITS} if trace.get("is_completed") else {}),
        **{name: trace[name] for name in ("stop_condition", "metrics", "info") if trace.get(name)},
    }


def _rllm_steps(root: Path) -> Steps:
    found: Steps = {}
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if match := _RLLM_STEP.fullmatch(folder.name):
            found.setdefault(int(match["step"]), []).append(Episodes(folder, _split(match["split"])))
    return found


def _rllm_rows(folder: Path) -> Iterator[Row]:
    for file in _episode_files(folder):  # of one task, consecutively
        episode = parse_row(_bytes(file)) or {}
        for trajectory in _list(episode.get("trajectories")):
            last = next(iter(_list(trajectory.get("steps"))[-1:]), {})
            yield {
                "prompt": episode.get("task"),
                "completion": last.get("model_response"),
                **asked_and_answered(last.get("chat_completions")),
                "reward": trajectory.get("reward"),
                **{name: trajectory[name] for name in ("name", "num_steps") if name in trajectory},
                **{name: episode[name] for name in ("is_correct", "termination_reason", "metrics") if name in episode},
            }


def _episode_files(folder: Path) -> Sequence[Path]:
    return files_in(folder, "episode_hash*.json", most=SAMPLE_ROWS)


def _art_steps(root: Path) -> Steps:
    found: Steps = {}
    for split in sorted(path for path in root.iterdir() if path.is_dir()):
        for step, file in _matching(split, _ART_FILE):
            found.setdefault(step, []).append(Episodes(file, _split(split.name)))
    return found


def _art_rows(file: Path) -> Iterator[Row]:
    """The trajectories of complete lines; PyYAML writes the reward last, so one without it is incomplete."""
    for number, group in enumerate(_list(_yaml(_complete_lines(file)))):
        for trajectory in (found for found in _list(group.get("trajectories")) if "reward" in found):
            items = _list(trajectory.get("messages_and_choices"))
            yield {
                **asked_and_answered([item.get("message", item) for item in items]),
                "reward": trajectory.get("reward"),
                "group": number,
                **next(
                    ({"finish_reason": item["finish_reason"]} for item in items[-1:] if "finish_reason" in item), {}
                ),
                **{name: trajectory[name] for name in ("metrics", "metadata", "logs") if trajectory.get(name)},
            }


def _matching(folder: Path, pattern: re.Pattern[str]) -> list[tuple[int, Path]]:
    matches = [(match, path) for path in folder.iterdir() if (match := pattern.fullmatch(path.name))]
    return sorted((int(match["step"]), path) for match, path in matches)


def _yaml(content: bytes) -> Any:
    """The content of a YAML file (safe loader); None if it is invalid. Raises ImportError without PyYAML."""
    try:
        return parse_yaml(content)
    except ModuleNotFoundError as error:
        raise ImportError(INSTALL) from error
    except ValueError:
        return None


def _complete_lines(file: Path) -> bytes:
    content = _bytes(file)
    return content[: content.rfind(b"\n") + 1]


def _bytes(file: Path) -> bytes:
    try:
        return read_whole(file)
    except OSError:
        return b""


def _split(name: str) -> str:
    return "eval" if name in _EVAL else "train"


def _list(value: Any) -> list[Row]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _dict(value: Any) -> Row:
    return value if isinstance(value, dict) else {}


LAYOUTS = (
    Layout(3, _prime_steps, _prime_rows),
    Layout(1, _rllm_steps, _rllm_rows),
    Layout(1, _art_steps, _art_rows),
)
