"""Sample tables: rows of whatever columns a producer chose, interpreted as sampled completions.

Supported are one row per completion, one row per step with `input_1`, `output_1`, `score_1`, … (verl), one row whose
cells are lists of a batch (ms-swift, ROLL), cells that are lists of one element (NeMo-RL), messages instead of text
(conversational data), prompt and answer in one text (OpenRLHF, SkyRL), and token ids alone (open-instruct), which are
shown as such. Unknown columns are kept in `extra`.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice
from typing import Any

from diagnostics.foreign_files.bounds import SAMPLE_ROWS
from diagnostics.model.samples import Sample
from diagnostics.readers.files.json_lines import as_number, as_text, as_whole

Cells = Mapping[str, Any]

STEP_COLUMNS = ("step", "global_step", "training_step", "train/global_step", "_step")
QUERY_COLUMNS = (
    "query",
    "prompt",
    "prompts",
    "input",
    "input_prompt",
    "question",
    "problem",
    "input_text",
    "instruction",
)
RESPONSE_COLUMNS = (
    "response",
    "completion",
    "model response",
    "output",
    "output_response",
    "completions",
    "responses",
    "output_text",
    "generation",
    "content",
)
WHOLE_COLUMNS = ("text", "trajectory", "messages", "steps")
"""Columns that hold prompt and answer together; a sample table also has a score."""
_QUERY_TOKENS = ("prompt_tokens", "prompt_token_ids", "prompt_ids")
_RESPONSE_TOKENS = ("response_tokens", "response_token_ids", "completion_tokens", "token_ids")
SCORE_COLUMNS = ("score", "reward", "scores", "rewards", "total_reward", "final_reward")
ADVANTAGE_COLUMNS = ("advantage", "advantages")
_LENGTH_COLUMNS = ("length", "response_length", "completion_length", "response_len")
_GROUP_COLUMNS = ("group", "group_id", "group_idx", "prompt_index", "prompt_idx", "prompt_id", "uid")
_END_COLUMNS = ("finish_reason", "stop_reason")
_ENDS = {"stop": True, "eos": True, "eos_token": True, "length": False, "max_tokens": False, "max_length": False}
_EVAL_SPLITS = ("eval", "val", "test")
_FEW_COLUMNS = 64
_WIDE = re.compile(r"(?P<field>input|output|score|reward)s?_(?P<number>\d+)")
_NUMBERS_IN_WORDS = {"nan": math.nan, "infinity": math.inf, "inf": math.inf, "-infinity": -math.inf, "-inf": -math.inf}


def is_sample_table(columns: Iterable[str]) -> bool:
    """Whether a table with these columns contains completions: a question and an answer, or a scored text."""
    names = {name.lower() for name in columns}
    has_query = not names.isdisjoint((*QUERY_COLUMNS, *_QUERY_TOKENS))
    has_response = not names.isdisjoint((*RESPONSE_COLUMNS, *_RESPONSE_TOKENS))
    has_scored_text = not names.isdisjoint(WHOLE_COLUMNS) and not names.isdisjoint(SCORE_COLUMNS)
    return (has_query and has_response) or has_scored_text or {"input_1", "output_1"} <= names


def to_samples(
    rows: Sequence[Cells], step: int, reward_functions: AbstractSet[str] = frozenset(), split: str = "train"
) -> tuple[Sample, ...]:
    """The samples of one step, up to a bound; rows that name another step are left out if any row names this one.

    Args:
        reward_functions: Columns with these names are rewards of single functions.
    """
    ours = [row for row in rows if step_of(row) == step]
    single = list(islice((cells for row in ours or rows for cells in _completions(row)), SAMPLE_ROWS))
    groups = _groups([_text(_first_value(cells, QUERY_COLUMNS)) for cells in single])
    return tuple(
        _sample(cells, step, group, reward_functions, split) for cells, group in zip(single, groups, strict=True)
    )


def completions_in(row: Cells) -> int:
    """How many completions a row holds: one, unless its cells are lists or numbered."""
    is_plain = not any(isinstance(value, list) for value in row.values()) and not _is_wide(row)
    return 1 if is_plain else len(_completions(row))


def step_of(row: Cells) -> int | None:
    """The step that a row names: the first of the usual columns; for a batch in one row, its last step."""
    value = _first_value(row, STEP_COLUMNS)
    if isinstance(value, list):
        value = value[-1] if value else None
    return as_whole(_as_int(value))


def reward_functions(tags: Iterable[str]) -> frozenset[str]:
    """The reward functions whose means a run logs, by the pattern `rewards/NAME/mean` of TRL and its descendants."""
    found = (re.fullmatch(r"(?:.*/)?rewards/(?P<name>.+?)(?:/mean)?", tag) for tag in tags)
    return frozenset(match["name"] for match in found if match)


def messages_as_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """A conversation as text: the content alone if only one role speaks, else a line per message."""
    parts = [(str(message.get("role", "")), _message_text(message)) for message in messages]
    if len(parts) == 1:
        return parts[0][1]
    return "\n".join(f"{role}: {content}" for role, content in parts)


def _message_text(message: Mapping[str, Any]) -> str:
    """The content of a message, and its tool calls."""
    calls = message.get("tool_calls")
    parts = [_text(message.get("content") or ""), _text(calls) if calls else ""]
    return "\n".join(part for part in parts if part)


def number_of(value: Any) -> float | None:
    """A cell as a number, including NaN and infinities as words; None if it is none."""
    if isinstance(value, str):
        return _NUMBERS_IN_WORDS.get(value.strip().lower())
    return None if isinstance(value, bool) else as_number(value)


def _completions(row: Cells) -> list[dict[str, Any]]:
    """One dictionary per completion of a row."""
    numbered: dict[int, dict[str, Any]] = {}
    for name, value in row.items():
        if match := _WIDE.fullmatch(name):
            numbered.setdefault(int(match["number"]), {})[match["field"]] = value
    if numbered:
        return [numbered[number] for number in sorted(numbered)]
    lists = {name: value for name, value in row.items() if isinstance(value, list) and not _is_conversation(value)}
    sizes = {len(value) for name, value in lists.items() if name.lower() in (*QUERY_COLUMNS, *RESPONSE_COLUMNS)}
    if len(sizes) != 1:
        return [dict(row)]
    (size,) = sizes
    return [
        {name: value[index] if name in lists and len(value) == size else value for name, value in row.items()}
        for index in range(size)
    ]


def _sample(cells: dict[str, Any], step: int, group: int | None, functions: AbstractSet[str], split: str) -> Sample:
    rest = {name: value for name, value in cells.items() if name.lower() not in STEP_COLUMNS}
    query, response = _take_texts(rest)
    own_group = as_whole(_as_int(_pop_first(rest, _GROUP_COLUMNS)))
    rewards = {name: number for name in rest if name in functions and (number := number_of(rest[name])) is not None}
    rest = {name: value for name, value in rest.items() if name not in functions}
    score = number_of(_pop_first(rest, SCORE_COLUMNS))
    if score is None and len(rewards) == 1:
        score = next(iter(rewards.values()))
    return Sample(
        step=step,
        query=_text(query),
        response=_text(response),
        score=score,
        rewards=rewards,
        advantage=number_of(_pop_first(rest, ADVANTAGE_COLUMNS)),
        terminated=_terminated(rest),
        length=as_whole(_as_int(_pop_first(rest, _LENGTH_COLUMNS))),
        group=group if own_group is None else own_group,
        split=_split(str(rest.pop("split", split))),
        extra=rest,
    )


def _take_texts(rest: dict[str, Any]) -> tuple[Any, Any]:
    """Pop question and answer from the row; token ids if there is no text."""
    query, response = _pop_first(rest, QUERY_COLUMNS), _pop_first(rest, RESPONSE_COLUMNS)
    if query is None:
        query = _pop_first(rest, _QUERY_TOKENS)
    if response is None:
        response = _pop_first(rest, WHOLE_COLUMNS)
    return query, _pop_first(rest, _RESPONSE_TOKENS) if response is None else response


def _split(name: str) -> str:
    """`eval` for any evaluation: tinker-cookbook appends the data set's name."""
    return "eval" if name.startswith(_EVAL_SPLITS) else name


def _groups(queries: Sequence[str]) -> list[int | None]:
    """Group numbers for runs of rows with the same query; none if every query occurs once."""
    numbers, number = list[int](), -1
    for index, query in enumerate(queries):
        number += index == 0 or query != queries[index - 1]
        numbers.append(number)
    return [None] * len(queries) if number == len(queries) - 1 else list(numbers)


def _terminated(rest: dict[str, Any]) -> bool | None:
    """Whether the completion ended by itself, according to its own column or the engine's finish reason."""
    for name, means in (("terminated", True), ("truncated", False), ("is_truncated", False)):
        if isinstance(rest.get(name), bool):
            return bool(rest.pop(name)) is means
    reason = _first_value(rest, _END_COLUMNS)
    return _ENDS.get(reason) if isinstance(reason, str) else None


def _first_value(row: Cells, names: Sequence[str]) -> Any:
    spelled = _spelled(row)
    return next((row[spelled[name]] for name in names if name in spelled), None)


def _pop_first(rest: dict[str, Any], names: Sequence[str]) -> Any:
    """Pop the value of the first of these columns from the row."""
    spelled = _spelled(rest)
    found = next((spelled[name] for name in names if name in spelled), None)
    return rest.pop(found) if found is not None else None


def _spelled(row: Cells) -> Mapping[str, str]:
    """How each column is spelled, by its name in lower case; known once for all rows of a table with few columns."""
    return _spelling(tuple(row)) if len(row) <= _FEW_COLUMNS else {name.lower(): name for name in row}


@lru_cache(maxsize=256)
def _spelling(names: tuple[str, ...]) -> Mapping[str, str]:
    return {name.lower(): name for name in names}


def _is_wide(row: Cells) -> bool:
    """Whether the columns number their completions; known once for all rows of a table with few columns."""
    return _has_numbers(tuple(row)) if len(row) <= _FEW_COLUMNS else any(map(_WIDE.fullmatch, row))


@lru_cache(maxsize=256)
def _has_numbers(names: tuple[str, ...]) -> bool:
    return any(map(_WIDE.fullmatch, names))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and _is_conversation(value):
        return messages_as_text(value)
    if isinstance(value, list) and len(value) == 1:
        return _text(value[0])
    try:
        return as_text(value)
    except TypeError:  # a cell of a type that JSON lacks
        return json.dumps(value, default=str, ensure_ascii=False)


def _is_conversation(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and "role" in item for item in value)


def _as_int(value: Any) -> Any:
    """A step or count as an integer: TRL before 0.28 writes it as text, tables as a float."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value.strip()):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value
