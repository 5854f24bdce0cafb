"""Finds the step of a printed line, and its numbers by name, whatever the trainer's own format is.

Understood are `Step 10/40 | loss=0.39 | reward=0.8`, `[run] 1/100 | loss=…`, `Epoch:[1/1](195/500), Reward: 0.36`,
`epoch: 0|step: 3|loss: 0.2`, `[Step 3] reward 0.36 loss 0.2`, `INFO - {'step': 3, 'reward': 0.36}`, and the values
behind a progress bar.
"""

import re
from collections.abc import Mapping
from itertools import islice
from statistics import fmean, stdev
from typing import NamedTuple

from diagnostics.readers.console.plain_text import strip_ansi

_ORNAMENTS = "=-#*~[( \t>"  # around the words of a line that is a heading
LONGEST_LINE = 1 << 18  # characters; a row of thousands of names
_COUNT = r"\d{1,18}"
_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf(?:inity)?)"
OF_RL = re.compile(r"(?i)reward|score|return|kl(?![a-z])")
"""What a number of a training by rewards is called."""
OF_TRAINING = re.compile(rf"{OF_RL.pattern}|loss")
"""What a number of a training is called; a text without any of these is not one."""
_POSITIONS = (  # by how surely they are the step
    re.compile(
        r"(?<![\w/])(?:(?:(?:global|train(?:ing)?|grpo|ppo|rl)[ _-]?)?step"
        r"|iter(?:ation)?|update|episode|ep|rollout|batch)"
        r"[\"']?\s{0,4}[:=#]?\s{0,4}[\[(]?"
        rf"(?P<step>{_COUNT})(?![.\d]*\d)(?:\s?(?:/|of)\s?(?P<total>{_COUNT}))?[\])]?",
        re.IGNORECASE,
    ),
    re.compile(rf"\((?P<step>{_COUNT})\s?/\s?(?P<total>{_COUNT})\)"),
    re.compile(rf"(?:^|(?<=[\]\s|]))(?P<step>{_COUNT})/(?P<total>{_COUNT})(?=\s|$)"),
    re.compile(rf"^\s{{0,4}}\[\s{{0,4}}(?P<step>{_COUNT})(?P<total>)\](?=\s)"),
)
_EPOCH = re.compile(
    rf"(?<![\w/])(?:epoch|pass)\s{{0,4}}[:=#]?\s{{0,4}}[\[(]?(?P<step>{_COUNT})(?:\.\d+)?(?:\s?/\s?(?P<total>{_COUNT}))?[\])]?",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"""(?<![^\s|,;(){}\[\]<>"'])(?P<name>[^\s\d=:|,;\[\]{}"'<>(*#>.+/~-][^=:|,;\[\]{}"'<>]{0,99}?)["']?\s?[=:]\s{0,8}(?:[\w.]{0,20}\()?"""
    rf"(?P<value>{_NUMBER})\)?(?:\s?%(?!\|)|[a-zA-Z]{{1,5}})?(?=[\s,|;)\]}}]|$)",
    re.IGNORECASE,
)
_SPACED = re.compile(
    rf"(?<![^\s|,;(])(?P<name>[^\W\d][\w/@%.-]{{0,60}})\s{{1,8}}(?P<value>{_NUMBER})(?=[\s,|;)%]|$)", re.IGNORECASE
)
_LIST = re.compile(
    r"""(?i)(?P<name>(?:reward|score)s?["']?\s?[=:]\s{0,4})(?:(?:tensor|array)\()?\[(?P<values>[-+\d.eE, ]{3,4000})\]"""
    r"""(?:(?:,\s?\w{1,10}=[\w.:']{1,20}){0,3}\))?"""
)
"""The rewards of a step's answers, one by one."""
_NESTED = re.compile(r"""(?<![\w./-])[\w./-]{1,40}["']?\s?[=:]\s?\{(?P<inner>[^{}]{1,2000})\}""")
"""Several numbers under one name: `reward_data: {'total_reward': 144.0}`."""
_TENSOR = re.compile(
    rf"(?:tensor|array)\((?P<value>{_NUMBER})(?:,\s?\w{{1,10}}=[\w.:'<>]{{1,30}}){{1,3}}\)", re.IGNORECASE
)
_LOGGER = re.compile(
    r"[^={}]{0,120}?\b(?:INFO|DEBUG)\b(?:\]|:[\w.]{1,60}:|[\s:|-])(?:\s?\[[^\[\]]{0,80}\])*[\s:|-]{0,4}"
)
"""What Python's logging puts before a message: its time, the logger's name and the level."""
_NAMED_BEFORE = re.compile(r"(?P<name>[^\W\d][\w /-]{0,40}?)\s?(?:@|\bat)\s*$", re.IGNORECASE)
_VALUE_BEHIND = re.compile(rf"\s?[:=]\s{{0,4}}(?P<value>{_NUMBER})(?=[\s,|;)]|$)", re.IGNORECASE)
"""Around a step: `Mean reward @ step 3: 0.36`."""
_WARNED_OF_KL = re.compile(r"KL divergence is starting to become negative: (?P<value>-[\d.]{1,20}\d)")
WARNED_KL = "objective/kl"
"""What TRL's PPOTrainer warns of below −1, by the name under which it logs it."""
_EMPHASIS = re.compile(r"\*\*|`")
_BEFORE_NAME = re.compile(r".*\d\s?%?\s?\(")
_WORDS = re.compile(r"[^\W\d_]")
_NAME = re.compile(r"(?<![^\s|,;])[^\s\d=:|,;\[\]]{1,100}(?=\s?[=:])")
_BETWEEN = re.compile(r"\(\d[\d.]*%\)|[\s|,;'\"]+")
_AROUND_PAIRS = " \t\r|,;{}'\""
_MOST_POSITIONS = 8  # in one line that are looked at


class ProgressLine(NamedTuple):
    """One line with a step. `form` is how it names the step, digits aside; `numbers` are those it names, as text.

    `total` is that of the epoch where the line names one of several. `unread` are names of a line without any number.
    A heading is a step without other words, whose numbers may stand in the lines below.
    """

    form: str
    step: int
    total: int | None
    epoch: int
    epochs: int
    numbers: Mapping[str, str]
    unread: tuple[str, ...] = ()
    is_heading: bool = False


def parse_line(line: str) -> ProgressLine | None:
    """What a line says of a step; None for most lines."""
    has_pairs = "=" in line or ":" in line
    words = _EMPHASIS.sub("", strip_ansi(line[:LONGEST_LINE]))
    begins = words.lstrip(_ORNAMENTS)
    if not has_pairs and not (_POSITIONS[0].match(begins) or _EPOCH.match(begins)):
        return None
    epoch = _EPOCH.search(words)
    rest = _without(words, epoch) if epoch else words
    position = _position(rest)
    found = position or epoch
    if found is None:
        return None
    around = _number_around(rest, position) if position else {}
    rest = _without(rest, position) if position else rest
    # what precedes the step may be the place in the code
    after = rest[found.start() :]
    numbers = {**around, **numbers_in(after)} or numbers_in(rest) or _spaced_numbers(after)
    is_heading = not numbers and _WORDS.search(rest) is None
    if not has_pairs and not numbers and not is_heading:
        return None
    return ProgressLine(
        _form(*(match for match in (epoch, position) if match)),
        int(found["step"]),
        int(found["total"]) if found["total"] else None,
        int(epoch["step"]) if epoch and position else 0,
        int(epoch["total"] or 1) if epoch and position else 1,
        numbers,
        () if numbers else tuple(_NAME.findall(rest)),
        is_heading,
    )


def _position(words: str) -> re.Match[str] | None:
    """Where a line names its step: of several places of one kind the first that counts to more than one."""
    for pattern in _POSITIONS:
        places = list(islice(pattern.finditer(words), _MOST_POSITIONS))
        if places:
            return next((match for match in places if match["total"] != "1"), places[0])
    return None


def numbers_of_pure_line(line: str) -> Mapping[str, str]:
    """The numbers of a line that holds nothing but names with numbers; none for any other line.

    What a logger puts before its message, and a name under which several numbers stand, is no part of it. TRL's warning
    of a negative KL is a line of its own.
    """
    if "=" not in line and ":" not in line:
        return {}
    words = strip_ansi(line[:LONGEST_LINE])
    if warned := _WARNED_OF_KL.search(words):
        return {WARNED_KL: warned["value"]}
    if logged := _LOGGER.match(words):
        words = words[logged.end() :]
    words = _flat(words).strip(_AROUND_PAIRS)
    if _PAIR.match(words) is None:
        return {}
    return {} if _BETWEEN.sub("", _PAIR.sub("", words)) else numbers_in(words)


def _flat(words: str) -> str:
    """A line with the numbers of tensors, of names below a name and of lists of rewards as if they stood alone."""
    if "(" in words:
        words = _TENSOR.sub(r"\g<value>", words)
    if "{" in words:
        words = _NESTED.sub(r"\g<inner>", words)
    return _LIST.sub(_mean_and_spread, words) if "[" in words else words


def numbers_in(words: str) -> Mapping[str, str]:
    """The numbers of a text by their names, units dropped; of a list of rewards the mean and the spread."""
    words = _LIST.sub(_mean_and_spread, words)
    return {_BEFORE_NAME.sub("", match["name"]).strip(): match["value"] for match in _PAIR.finditer(words)}


def _mean_and_spread(rewards: re.Match[str]) -> str:
    """A list of rewards with its mean in its place, and its deviation; as it is where it is none of numbers."""
    try:
        values = [float(value) for value in rewards["values"].replace(",", " ").split()]
        mean = f"|{rewards['name']}{fmean(values):g}"  # words before it are no part of its name
    except ValueError:
        return rewards[0]
    return f"{mean}|reward_std={stdev(values):g}|" if len(values) > 1 else mean


def _number_around(words: str, step: re.Match[str]) -> Mapping[str, str]:
    """The number whose name stands before the step, and whose value behind it."""
    name, value = _NAMED_BEFORE.search(words[: step.start()]), _VALUE_BEHIND.match(words[step.end() :])
    return {name["name"].strip(): value["value"]} if name and value else {}


def _spaced_numbers(words: str) -> Mapping[str, str]:
    """The numbers of a text that nothing but a space joins to their names, one of which is a training's."""
    numbers = {match["name"]: match["value"] for match in _SPACED.finditer(words)}
    return numbers if any(map(OF_TRAINING.search, numbers)) else {}


def _form(*matches: re.Match[str]) -> str:
    """How the step is named, a sign in the place of each number, without what encloses more than the step."""
    words = " ".join(re.sub(r"\d+", "#", " ".join(match[0] for match in matches)).split())
    return words if "[" in words or "(" in words else re.sub(r"[\])\"']", "", words)


def _without(words: str, match: re.Match[str]) -> str:
    """A text with a bar in the place of a match, so that no name reaches across it."""
    return f"{words[: match.start()]}|{words[match.end() :]}"
