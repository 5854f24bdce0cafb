"""Advantage estimators, by which some producers choose the algorithm."""

from collections.abc import Mapping
from typing import Any

from diagnostics.producers.nested_config import value_at
from diagnostics.told import told

_ALGORITHMS = {"gae": "ppo", "grpo": "grpo", "group_norm": "grpo", "dr_grpo": "grpo", "rloo": "rloo"}


def algorithm_of_estimator(estimator: Any) -> str | None:
    """The algorithm that an estimator, named or as the text of an enumeration, belongs to; None for any other."""
    return _ALGORITHMS.get(_name(estimator))


def by_estimator(config: Mapping[str, Any], path: str, algorithm: str) -> tuple[str, tuple[str, ...]]:
    """The algorithm that the estimator at a path of a configuration makes of `algorithm`, and notes on it.

    An estimator that is neither PPO's, GRPO's nor RLOO's leaves `algorithm`, whose names it shares.
    """
    estimator = value_at(config, path)
    if not isinstance(estimator, str) or not estimator:
        return algorithm, ()
    if found := algorithm_of_estimator(estimator):
        return found, ()
    return algorithm, (
        told(
            "{path} is {name}: judged as {algorithm}, whose metrics it logs",
            path=path,
            name=_name(estimator),
            algorithm=algorithm.upper(),
        ),
    )


def _name(estimator: Any) -> str:
    return str(estimator).rpartition(".")[2].lower()
