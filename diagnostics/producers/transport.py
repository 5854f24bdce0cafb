"""What loggers put around a producer's tags and settings: a prefix, headings, settings as text, a model card."""

import re
from typing import Any

from diagnostics.foreign_files.documents import parse_json
from diagnostics.model.recording import Recording
from diagnostics.model.series import RawSeries

PREFIX = "train/"  # transformers' rewrite_logs: eval_x → eval/x, test_x → test/x, everything else → train/x
HEADINGS = {"Training Loss": "loss", "Validation Loss": "eval/loss"}
"""Names of the Trainer's table in a notebook."""
SPACED = " / "  # Unsloth's tables in notebooks let a name break there
ARGUMENTS = ("args/text_summary", "args/text_summary/text_summary")
CARD = "README.md"
REQUIREMENTS = "requirements.txt"
_CARD_VERSION = re.compile(r"^- (?P<package>\w+): (?P<version>\S+)$", re.MULTILINE)
_LISTED_VERSION = re.compile(r"^(?P<package>[\w.-]+)==(?P<version>\S+)$", re.MULTILINE)
_CARD_METHOD = re.compile(r"trained with (?P<method>[A-Z]+)")


def series_by_tag(recording: Recording) -> dict[str, RawSeries]:
    """The series by tag as the trainer named it; a tag that would hide another one stays as it is."""
    tags, found = recording.tags, dict[str, RawSeries]()
    for tag, series in tags.items():
        bare = trainers_name(tag)
        found[tag if bare != tag and (bare in tags or bare in found) else bare] = series
    return found


def trainers_name(tag: str) -> str:
    """The tag as the trainer named it, before a logger or a table changed the name."""
    return HEADINGS.get(tag) or tag.removeprefix(PREFIX).replace(SPACED, "/")


def configuration(recording: Recording) -> dict[str, Any]:
    """The settings: the format's own, else those that the Trainer logs as a JSON text."""
    if recording.config:
        return dict(recording.config)
    for tag in ARGUMENTS:
        try:
            found = parse_json(recording.text.get(tag, ""))
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return {}


def package_version(recording: Recording, package: str) -> str | None:
    """The version of a package by the model card, else by the list of packages that W&B keeps with a run."""
    cards = _CARD_VERSION.finditer(recording.text.get(CARD, ""))
    listed = _LISTED_VERSION.finditer(recording.text.get(REQUIREMENTS, ""))
    lines = (line for found in (cards, listed) for line in found)
    return next((line["version"] for line in lines if line["package"].lower().replace("_", "-") == package), None)


def card_method(recording: Recording) -> str:
    """The method that the model card names ("GRPO"); empty where it names none."""
    match = _CARD_METHOD.search(recording.text.get(CARD, ""))
    return match["method"] if match else ""
