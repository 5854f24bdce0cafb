"""The data of the remarks task: its openings and the weights of its learned reward, shipped with the checkpoint."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

CHECKPOINT = Path(__file__).with_name("assets") / "remarks"
PIECES_CHECKPOINT = Path(__file__).with_name("assets") / "remarks-pieces"
"""A second model of the same remarks, which writes words in pieces, and not always in the tokenizer's own."""
OPENINGS_FILE = "openings.json"
POSITIVITY_FILE = "positivity.json"


@cache
def openings(split: str) -> tuple[str, ...]:
    """The openings, of two to four words, that remarks start with, in a fixed order.

    Args:
        split: "train" or "eval"; the two share no opening.
    """
    return tuple(json.loads((CHECKPOINT / OPENINGS_FILE).read_text(encoding="utf-8"))[split])


@cache
def positivity_weights() -> Mapping[str, float]:
    """Log-odds per word of the learned reward."""
    weights: dict[str, float] = json.loads((CHECKPOINT / POSITIVITY_FILE).read_text(encoding="utf-8"))
    return weights
