"""What a configuration's fault changes in it, and what run.json says about it; no torch here."""

from typing import Any, TypeVar

from trainer.config.training import TrainConfig
from trainer.faults import FAULTS
from trainer.faults.fault import Case

Config = TypeVar("Config", bound=TrainConfig)


def fault_case(config: TrainConfig) -> Case | None:
    """The fault that a configuration names, in its form for this algorithm and task; None without one."""
    return FAULTS[config.fault].case(config.algorithm, config.task) if config.fault else None


def faulty_config(config: Config) -> Config:
    """The configuration from the onset on: the fault's values win over all others. Raises ConfigError."""
    case = fault_case(config)
    return config if case is None else config.with_changes(case.values)


def config_at_start(config: Config) -> Config:
    """The configuration in force at step 1, as in run.json. Raises ConfigError."""
    return faulty_config(config) if config.fault_step == 1 else config


def without_fault(config: Config) -> Config:
    """What a relaunch starts from: the fault's values as plain ones, so that a fix wins over them.

    A fault of the data stays, since no option stands for it. Raises ConfigError.
    """
    case = fault_case(config)
    if case is None or case.rows is not None:
        return config
    return faulty_config(config).with_changes({"fault": None, "fault_step": 1})


def fault_record(config: TrainConfig) -> dict[str, Any] | None:
    """The fault as run.json holds it, the truth that a diagnosis can be compared with; None without one."""
    case = fault_case(config)
    if case is None:
        return None
    rows = {} if case.rows is None else {"prompts": case.rows.__name__}
    return {"name": config.fault, "onset_step": config.fault_step, "changes": {**case.values, **rows}}
