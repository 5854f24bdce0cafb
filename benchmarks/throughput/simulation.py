"""A discrete-event simulation of a training: rollout workers, a queue and a trainer. It knows nothing of who judges it.

Where workers and trainer overlap, a worker generates a group of answers, scores it and puts it into the queue, where it
waits for room; the trainer waits for as many groups as a step needs. A sync of the weights holds up both.
"""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.throughput.layout import Layout

Row = Mapping[str, float]
FIRST = 3.0  # times as long as the others: the first step compiles


def simulate(layout: Layout, steps: int, seed: int) -> list[Row]:
    """The logged rows of a training, by canonical name; a seed gives the same lengths, whatever takes how long."""
    return [*(_overlapping if layout.is_overlapping else _in_turn)(layout, steps, np.random.default_rng(seed))]


def mean_step(rows: list[Row]) -> float:
    """The mean time of a step after the first."""
    return float(np.mean([row["step_time"] for row in rows[1:]]))


@dataclass(slots=True)
class _Group:
    """A group of answers: what each takes the worker."""

    lengths: np.ndarray
    generating: float
    scoring: float


def _in_turn(layout: Layout, steps: int, generator: np.random.Generator) -> Iterator[Row]:
    """Every stage after the other."""
    for step in range(1, steps + 1):
        slow = FIRST if step == 1 else 1.0
        group = _group(layout, generator)
        noise = _jitter(layout, generator, 4)
        reference, update = layout.reference * noise[0], layout.update * noise[1] * slow
        sync = layout.sync * noise[2] if step % layout.every == 0 else 0.0
        generating, row = group.generating * noise[3], {"length_mean": float(group.lengths.mean())}
        if layout.has_grader_inside:
            generating, row = _graded_inside(layout, group, row)
        else:
            row["reward_time"] = group.scoring
        row |= {"length_max": float(group.lengths.max()), "generation_time": generating, "reference_time": reference}
        row |= {"update_time": update, **({"weight_sync_time": sync} if sync else {})}
        yield row | {"step_time": generating + row.get("reward_time", 0.0) + reference + update + sync}


def _graded_inside(layout: Layout, group: _Group, row: dict[str, float]) -> tuple[float, dict[str, float]]:
    """A generation whose answers are each scored by its own worker as soon as it is written."""
    generating, scoring = group.lengths * layout.per_token, group.lengths / layout.length * layout.grader
    seconds = generating + scoring
    slowest = int(seconds.argmax())
    told = {"rollout_seconds_max": float(seconds.max()), "rollout_seconds_mean": float(seconds.mean())}
    told |= {
        "slowest_generation_seconds": float(generating[slowest]),
        "slowest_reward_seconds": float(scoring[slowest]),
    }
    return float(seconds.max()), row | told


@dataclass(slots=True)
class _Workers:
    """The rollout workers and the queue: what each does next, and how long it did what since the last step."""

    layout: Layout
    generator: np.random.Generator
    events: list[tuple[float, int, _Group]] = field(default_factory=list)
    blocked: list[tuple[float, int, _Group]] = field(default_factory=list)  # since when, who, with what
    queue: list[_Group] = field(default_factory=list)
    generating: float = 0.0
    scoring: float = 0.0
    waited: float = 0.0

    def start(self, now: float, worker: int) -> None:
        """Let a worker begin a group."""
        group = _group(self.layout, self.generator)
        heapq.heappush(self.events, (now + group.generating + group.scoring, worker, group))

    def run_until(self, now: float) -> None:
        """Let every worker finish what it finishes by then."""
        while self.events and self.events[0][0] <= now:
            self._finish_next()

    def wait_for(self, groups: int, now: float) -> float:
        """When the queue holds so many groups, at the earliest now."""
        while len(self.queue) < groups:
            now = max(now, self._finish_next())
            self._unblock(now)
        return now

    def take(self, groups: int, now: float) -> list[_Group]:
        """Take groups out of the queue, which lets blocked workers go on."""
        taken, self.queue = self.queue[:groups], self.queue[groups:]
        self._unblock(now)
        return taken

    def hold(self, seconds: float) -> None:
        """Hold every worker up."""
        self.events = [(at + seconds, worker, group) for at, worker, group in self.events]
        self.blocked = [(since + seconds, worker, group) for since, worker, group in self.blocked]

    def seconds(self, now: float) -> Row:
        """What a worker did since the last call, on average."""
        waiting = self.waited + sum(now - since for since, _, _ in self.blocked)
        self.blocked = [(now, worker, group) for _, worker, group in self.blocked]
        told = {"generation_time": self.generating, "reward_time": self.scoring, "backpressure_time": waiting}
        self.generating = self.scoring = self.waited = 0.0
        return {name: value / self.layout.workers for name, value in told.items()}

    def _finish_next(self) -> float:
        at, worker, group = heapq.heappop(self.events)
        self.generating += group.generating
        self.scoring += group.scoring
        self.blocked.append((at, worker, group))
        self._unblock(at)
        return at

    def _unblock(self, now: float) -> None:
        room = max(self.layout.capacity, self.layout.groups) - len(self.queue)
        going, self.blocked = self.blocked[:room], self.blocked[room:]
        for since, worker, group in going:
            self.waited += now - since
            self.queue.append(group)
            self.start(now, worker)


def _overlapping(layout: Layout, steps: int, generator: np.random.Generator) -> Iterator[Row]:
    """The trainer's steps, while workers fill the queue."""
    workers, now = _Workers(layout, np.random.default_rng(generator.integers(2**32))), 0.0
    for worker in range(layout.workers):
        workers.start(0.0, worker)
    for step in range(1, steps + 1):
        began = now
        workers.run_until(now)
        now = workers.wait_for(layout.groups, now)
        waited, taken = now - began, workers.take(layout.groups, now)
        noise, slow = _jitter(layout, generator, 3), FIRST if step == 1 else 1.0
        reference, update = layout.reference * noise[0], layout.update * noise[1] * slow
        now += reference + update
        workers.run_until(now)
        sync = layout.sync * noise[2] if step % layout.every == 0 else 0.0
        workers.hold(sync)
        now += sync
        lengths = np.concatenate([group.lengths for group in taken])
        row = {"length_mean": float(lengths.mean()), "length_max": float(lengths.max()), "step_time": now - began}
        row |= {"rollout_wait_time": waited, "reference_time": reference, "update_time": update, **workers.seconds(now)}
        if not layout.logs_backpressure:
            del row["backpressure_time"]
        yield row | ({"weight_sync_time": sync} if sync else {})


def _group(layout: Layout, generator: np.random.Generator) -> _Group:
    """A group of answers, decoded together: it takes as long as its longest."""
    lengths = layout.length * np.exp(layout.tail * generator.standard_normal(layout.answers))
    return _Group(lengths, float(lengths.max()) * layout.per_token, layout.grader)


def _jitter(layout: Layout, generator: np.random.Generator, count: int) -> np.ndarray:
    return np.exp(layout.jitter * generator.standard_normal(count))
