"""The completions that a TRL trainer holds in memory, as rows of a run log."""

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

LONGEST_TEXT = 20_000  # characters of a prompt or a completion that are kept
Row = dict[str, Any]


class Completions:
    """Follows the completions of one trainer: each generation is given once, without those of an evaluation."""

    def __init__(self, trainer: Any, most: int) -> None:
        """`most` bounds the rows of one step."""
        self._trainer, self._most = trainer, most
        self._last: tuple[Any, ...] = ()

    def newest(self) -> list[Row]:
        """The newest generation, with rewards and advantages; empty where there is none, or no new one."""
        logs = self._logs()
        mark = _mark(logs)
        if not mark or mark == self._last:
            return []
        self._last = mark
        return _rows(logs, _weights(self._trainer), getattr(self._trainer, "num_generations", None), self._most)

    def skip(self) -> None:
        """Leave out what is held now: the answers of an evaluation."""
        self._last = _mark(self._logs())

    def _logs(self) -> Mapping[str, Any]:
        # TRL 0.17 to 0.20 calls it by the second name.
        found = getattr(self._trainer, "_logs", None) or getattr(self._trainer, "_textual_logs", None)
        return found if isinstance(found, Mapping) else {}


def _mark(logs: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells one generation from another: a policy that has collapsed answers other prompts with the same words."""
    texts = (str(text) for name in ("prompt", "completion") for text in logs.get(name, ()))
    return (*texts, *logs.get("advantages", ()))


def _weights(trainer: Any) -> list[float]:
    weights: Any = getattr(trainer, "reward_weights", None)
    return [float(weight) for weight in (weights.tolist() if hasattr(weights, "tolist") else weights or ())]


def _rows(logs: Mapping[str, Any], weights: Sequence[float], generations: Any, most: int) -> list[Row]:
    rewards = {str(name): list(values) for name, values in logs.get("rewards", {}).items()}
    advantages = list(logs.get("advantages", ()))
    pairs = zip(logs.get("prompt", ()), logs.get("completion", ()), strict=False)
    found = list[Row]()
    for index, (prompt, completion) in enumerate(islice(pairs, most)):
        row: Row = {"query": _text(prompt), "response": _text(completion)}
        given = {name: values[index] for name, values in rewards.items() if index < len(values)}
        row |= {"rewards": given, "score": _total(list(given.values()), weights)} if given else {}
        row |= {"advantage": advantages[index]} if index < len(advantages) else {}
        row |= {"group": index // generations} if isinstance(generations, int) and generations > 1 else {}
        found.append(row)
    return found


def _total(rewards: Sequence[float | None], weights: Sequence[float]) -> float:
    """The weighted sum, as TRL takes it: a function that gave none counts for nothing, and without any it is NaN."""
    used = weights if len(weights) == len(rewards) else [1.0] * len(rewards)
    known = [w * r for w, r in zip(used, rewards, strict=True) if r is not None and not math.isnan(r)]
    return sum(known) if known else math.nan


def _text(cell: Any) -> str:
    """A prompt or a completion as text: of a conversation, each message below its role."""
    if isinstance(cell, list):
        several = len(cell) > 1
        parts = (_message(message, named=several) for message in cell)
        return "\n".join(parts)[:LONGEST_TEXT]
    return str(cell)[:LONGEST_TEXT]


def _message(message: Any, *, named: bool) -> str:
    if not isinstance(message, Mapping):
        return str(message)
    content = message.get("content")
    if isinstance(content, list):  # of several kinds: pictures are left out
        content = " ".join(str(part["text"]) for part in content if isinstance(part, Mapping) and "text" in part)
    calls = message.get("tool_calls")
    text = " ".join(str(part) for part in (content, calls) if part)
    return f"{message.get('role', '')}: {text}" if named else text
