"""Whose configuration a file holds, and which algorithm it trains, by the arguments that stand in it."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnostics.producers.estimators import algorithm_of_estimator
from diagnostics.producers.setting_lookup import given_settings
from diagnostics.producers.table import PRODUCERS


def producer_of_config(config: Mapping[str, Any], path: Path) -> str:
    """The producer that is surest of a flat configuration."""
    return max(PRODUCERS, key=lambda producer: producer.recognise_config(config, path)).name


def algorithm_of_config(config: Mapping[str, Any], producer: str) -> str:
    """The algorithm that a configuration names, or that most of its arguments belong to; "unknown" where none do."""
    named = str(config.get("algorithm", ""))
    if any(named in known.defaults for known in PRODUCERS):
        return named
    estimator = next(given_settings(producer, "advantage_estimator", config), None)
    if estimator is not None:
        return algorithm_of_estimator(estimator.value) or "unknown"
    marks = Counter[str]()
    for known in PRODUCERS:
        marks.update({algorithm: len(names & config.keys()) for algorithm, names in known.algorithm_marks.items()})
    best = max(marks, key=lambda algorithm: marks[algorithm])
    return best if marks[best] else "unknown"


def version_in_config(config: Mapping[str, Any], producer: str) -> str:
    """The producer's version as its configuration states it; empty where it does not."""
    stated = next(given_settings(producer, "producer_version", config), None)
    return "" if stated is None else str(stated.value)
