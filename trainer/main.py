"""The training process: reads its arguments and claims the run directory at once, then imports torch and trains.

    python -P -m trainer.main train grpo --max_steps 50
    python -P -m trainer.main stop runs/grpo-addition-1

Exit codes: 0 finished or stopped, 1 failed while training, 2 the arguments do not describe a training.
"""

import importlib.util
import itertools
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from diagnostics.runlog import RunLog, RunLogError
from trainer.arguments import RUNS_FOLDER, USAGE, Plan, help_text, read_plan
from trainer.config import ALGORITHMS, GRPOConfig, PPOConfig
from trainer.console import recorded_console
from trainer.journal import Journal, StopRequest
from trainer.launch import LaunchError, stop
from trainer.options import ConfigError
from trainer.prompts import Prompts, load_prompts
from trainer.rewards import RewardError, RewardFunc, get_reward_funcs
from trainer.sinks import Sinks
from trainer.tasks import get_task

FINISHED, FAILED, BAD_INPUT = 0, 1, 2
_NEEDED = ("torch", "transformers", "accelerate", "tqdm")


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    words = sys.argv[1:] if words is None else list(words)
    try:
        return _run(words)
    except (ConfigError, RewardError, RunLogError, LaunchError) as error:
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT


def _run(words: Sequence[str]) -> int:
    command, rest = (words[0], words[1:]) if words else ("", [])
    if command == "train" and "--help" not in rest:
        return _train(read_plan(rest))
    if command == "train":
        sys.stdout.write(help_text(rest[0] if rest[0] in ALGORITHMS else "grpo"))
        return FINISHED
    if command == "stop" and len(rest) == 1:
        stop(Path(rest[0]))
        sys.stdout.write(f"{rest[0]} finishes its step, saves a checkpoint and ends\n")
        return FINISHED
    raise ConfigError(f"the command must be one of\n{USAGE}")


def _train(plan: Plan) -> int:
    _check_installation()
    prompts = load_prompts(plan.config)
    reward_funcs = _reward_funcs(plan)
    stop_request = StopRequest()
    with _claim(plan) as log, recorded_console(log.directory):
        sys.stderr.write(f"{plan.algorithm} on {plan.config.data_name} writes to {log.directory}\n")
        journal = Journal(log, _sinks(plan, log), plan.config.total_steps, stop_request)
        try:
            _loop(plan, prompts, reward_funcs, journal)
        except Exception as error:  # a run that fails says why, whatever went wrong in it
            traceback.print_exc()
            log.close("failed", f"{type(error).__name__}: {error}")
            return FAILED
        except KeyboardInterrupt:
            log.close("stopped", "interrupted within a step: no checkpoint of it was saved")
            return FINISHED
        finally:
            journal.close()
        log.close("finished" if journal.last_step == plan.config.total_steps else "stopped")
    return FINISHED


def _loop(plan: Plan, prompts: Prompts, reward_funcs: Sequence[RewardFunc], journal: Journal) -> None:
    """Import the algorithm's loop, which takes seconds because of torch, and run it."""
    match plan.config:
        case PPOConfig():
            from trainer import ppo  # noqa: PLC0415 - torch, after the run directory is claimed

            ppo.train(plan.config, prompts, reward_funcs, journal)
        case GRPOConfig():
            from trainer import grpo  # noqa: PLC0415 - torch, after the run directory is claimed

            grpo.train(plan.config, prompts, reward_funcs, journal)


def _check_installation() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(f"training needs {', '.join(missing)}; install them with: pip install 'rlvitals[trainer]'")
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError("this trainer runs as one process; start it without torchrun or accelerate launch")


def _reward_funcs(plan: Plan) -> list[RewardFunc]:
    config = plan.config
    functions = get_reward_funcs(config.reward_funcs or get_task(config.task).reward_funcs)
    if config.reward_weights and len(config.reward_weights) != len(functions):
        raise ConfigError(
            f"reward_weights has {len(config.reward_weights)} values for {len(functions)} reward functions; "
            "give one for each"
        )
    return functions


def _claim(plan: Plan) -> RunLog:
    """Claim the run directory, or the first free one below runs/."""
    if plan.directory is not None:
        return _open_log(plan, plan.directory)
    for number in itertools.count(1):
        directory = RUNS_FOLDER / f"{plan.algorithm}-{plan.config.data_name}-{number}"
        try:
            directory.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise ConfigError(
                f"cannot create {directory}: {error.strerror}; choose another place with --run_dir"
            ) from error
        return _open_log(plan, directory)
    raise AssertionError("unreachable")


def _open_log(plan: Plan, directory: Path) -> RunLog:
    return RunLog(
        directory,
        algorithm=plan.algorithm,
        task=plan.config.data_name,
        config=plan.config.to_dict(),
        total=plan.config.total_steps,
        parent=plan.parent,
    )


def _sinks(plan: Plan, log: RunLog) -> Sinks:
    return Sinks(plan.config.report_to, log.directory, plan.config.to_dict())


if __name__ == "__main__":
    sys.exit(main())
