"""The default settings of whoever wrote a run, as far as they are known, in its own argument names."""

from collections.abc import Mapping
from typing import Any

from diagnostics.model.run import Run
from diagnostics.model.setup import version_of
from diagnostics.producers.table import OURS, producer_named
from trainer.config.algorithms import make_config
from trainer.config.options import ConfigError


def default_settings(run: Run) -> Mapping[str, Any]:
    """Argument → its default; empty where none is known."""
    if run.producer == OURS.name:
        try:
            return make_config(run.algorithm, {"task": run.task} if run.task else {}).to_dict()
        except ConfigError:  # an algorithm or a task of another version
            return {}
    producer, version = producer_named(run.producer), version_of(run.producer_version)
    if version is None and producer.has_versioned_defaults:
        return {}
    found = producer.defaults_of(run.algorithm, version)
    named = {run.settings.argument(name): value for name, value in found.items()}
    return {argument: value for argument, value in named.items() if argument is not None}
