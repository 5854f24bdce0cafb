"""The effect of a fault on a configuration, and its record in run.json. Imports no torch."""

from typing import Any, TypeVar

from trainer.config.training import TrainConfig
from trainer.faults import FAULTS
from trainer.faults.fault import Case

Config = TypeVar("Config", bound=TrainConfig)


def fault_case(config: TrainConfig) -> Case | None:
    """The configuration's fault for its algorithm and task; None without a fault."""
    return FAULTS[config.fault].case(config.algorithm, config.task) if config.fault else None


def faulty_config(config: Config) -> Config:
    """The configuration from the onset on, where the fault's values override all others. Raises ConfigError."""
    case = fault_case(config)
    if case is None or config.fault is None:
        return config
    return config.with_changes({**FAULTS[config.fault].setting, **case.values})


def config_at_start(config: Config) -> Config:
    """The configuration in force at step 1, as in run.json. Raises ConfigError."""
    return faulty_config(config) if config.fault_step == 1 else config


def without_fault(config: Config) -> Config:
    """The configuration that a relaunch starts from: the fault's values become plain ones, so that fixes override them.

    A fault of the data stays, since no option expresses it. Raises ConfigError.
    """
    case = fault_case(config)
    if case is None or case.rows is not None:
        return config
    return faulty_config(config).with_changes({"fault": None, "fault_step": 1})


def fault_record(config: TrainConfig) -> dict[str, Any] | None:
    """The fault as run.json records it, the ground truth for a diagnosis; None without a fault."""
    case = fault_case(config)
    if case is None:
        return None
    rows = {} if case.rows is None else {"prompts": case.rows.__name__}
    return {"name": config.fault, "onset_step": config.fault_step, "changes": {**case.values, **rows}}
