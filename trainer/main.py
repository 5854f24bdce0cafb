"""The training process: parses its arguments, claims the run directory, then imports torch and trains.

    python -P -m trainer.main train grpo --max_steps 50
    python -P -m trainer.main stop runs/grpo-addition-1

Exit codes: 0 finished or stopped, 1 failed while training, 2 the arguments do not describe a training.
"""

import contextlib
import importlib
import importlib.util
import itertools
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from diagnostics.language import _, environment_language, language
from diagnostics.runlog import RunLog, RunLogError
from diagnostics.told import reason, said, told
from diagnostics.visible_text import visible
from trainer.config.algorithms import ALGORITHMS
from trainer.config.fault_values import config_at_start, fault_record
from trainer.config.options import ConfigError
from trainer.config.options.model import check_peft
from trainer.config.training import TrainConfig
from trainer.console import recorded_console
from trainer.data.hub import go_offline_if_hub_unreachable
from trainer.data.prompts import Prompts, load_prompts
from trainer.evaluate.arguments import read_request
from trainer.evaluate.foreign_code import code_of_evaluation
from trainer.faults.listing import faults_as_text
from trainer.launch import LaunchError, stop
from trainer.launch.arguments import RUNS_FOLDER, Plan, help_text, read_plan, usage
from trainer.launch.consent import Consent
from trainer.launch.several_processes import as_launched, become_launcher, process_count, process_number
from trainer.launch.submission import LOCAL, Placement, reports_below, submit
from trainer.rewards import RewardError, RewardFunc, get_reward_funcs
from trainer.rewards.smoke_test import read_trial_request, smoke_test
from trainer.run.failures import in_words, print_failure
from trainer.run.journal import Journal, SilentJournal, StopRequest
from trainer.run.sinks import Origin, Sinks
from trainer.run.stages import Changes, Stage, changes_of
from trainer.tasks import get_task
from trainer.trust.admission import admit, admit_training
from trainer.trust.foreign_code import code_in, code_of_tokenizer_and_data

FINISHED, FAILED, BAD_INPUT = 0, 1, 2
_TRUST = f"--{Consent.GIVEN}"
_NEEDED = ("torch", "transformers", "accelerate", "tqdm")


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    words = sys.argv[1:] if words is None else list(words)
    with language(environment_language()):
        try:
            return _run(words)
        except (ConfigError, RewardError, RunLogError, LaunchError) as error:
            sys.stderr.write(f"rlvitals: {visible(reason(error))}\n")
            return BAD_INPUT


def _run(words: Sequence[str]) -> int:
    command, rest = (words[0], words[1:]) if words else ("", [])
    if command == "train" and "--list_faults" in rest:
        sys.stdout.write(faults_as_text())
        return FINISHED
    if command == "train" and "--help" not in rest:
        placement, rest = Placement.taken_from(rest)
        plan = read_plan(rest)
        return _train(plan, ["train", *rest]) if placement.executor == LOCAL else _submit(plan, rest, placement)
    if command == "train":
        sys.stdout.write(help_text(rest[0] if rest[0] in ALGORITHMS else "grpo"))
        return FINISHED
    if command == "evaluate":
        return _evaluate(rest)
    if command in _TRIALS and rest in ([], [_TRUST]):
        return _try_out(command, Consent.GIVEN if rest else Consent.WITHHELD)
    if command == "stop" and len(rest) == 1:
        sys.stdout.write(f"{said(stop(Path(rest[0])))}\n")
        return FINISHED
    if command == "jobs":
        for report in reports_below(map(Path, rest)):
            sys.stdout.write(f"{json.dumps(report.to_dict())}\n")
        return FINISHED
    raise ConfigError(told("the command must be one of\n{usage}", usage=usage()))


def _try_out(what: str, consent: Consent) -> int:
    """Answer a request on the standard input about a training, in lines of JSON on the standard output."""
    if what != "smoke":
        _check_installation()
    config, request = read_trial_request(sys.stdin)
    code = code_of_tokenizer_and_data(config) if what == "tokens" else code_in(config)
    admit(code, told("the configuration"), consent, asks=False)
    go_offline_if_hub_unreachable(config)
    answers, found = sys.stdout, _TRIALS[what](config, request)
    with contextlib.redirect_stdout(sys.stderr):
        for item in found:
            print(json.dumps(item, default=str), file=answers, flush=True)
    return FINISHED


def _smoke(config: TrainConfig, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return smoke_test(config, request.get("done", ()))


def _probe(config: TrainConfig, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    from trainer.rewards.pass_rates import probe_policy  # noqa: PLC0415 - torch, after the installation is checked

    yield probe_policy(config, int(request["prompts"]), int(request["generations"]))


def _tokens(config: TrainConfig, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    from trainer.rollout.tokenizer_trial import try_tokenizer  # noqa: PLC0415 - torch, as for a probe

    yield try_tokenizer(config, int(request["prompts"]))


_TRIALS: Mapping[str, Callable[[TrainConfig, Mapping[str, Any]], Iterator[Mapping[str, Any]]]] = {
    "smoke": _smoke,
    "probe": _probe,
    "tokens": _tokens,
}
"""What can be tried before a training, by command."""


def _evaluate(words: Sequence[str]) -> int:
    request = read_request(words)
    _check_installation()
    admit(code_of_evaluation(request), str(request.run.folder), request.consent)
    go_offline_if_hub_unreachable(request.run.config, request.judge)
    from trainer.evaluate.win_rates import evaluate  # noqa: PLC0415 - torch, after the words are checked

    sys.stdout.write(json.dumps(evaluate(request)) + "\n")
    return FINISHED


def _submit(plan: Plan, words: Sequence[str], placement: Placement) -> int:
    """Submit the training as a job; its code is admitted here, where somebody can be asked."""
    _check_installation()
    admit_training(plan, asks=True)
    record = submit(plan, words, placement)
    where = visible(shlex.quote(str(record.run_dir)))
    sys.stdout.write(f"{record.handle.title} trains {plan.algorithm} on {plan.config.data_name} into {where}\n")
    sys.stderr.write(f"look at it with: rlvitals status {where}; stop it with: rlvitals stop {where}\n")
    return FINISHED


def _train(plan: Plan, words: Sequence[str]) -> int:
    _check_installation()
    admit_training(plan, asks=process_count() == 1)
    if plan.config.use_peft:
        check_peft("use_peft")
    plan = replace(plan, config=as_launched(plan.config, is_resumed=plan.resumed_step is not None))
    go_offline_if_hub_unreachable(plan.config)
    prompts = load_prompts(plan.config)
    reward_funcs = _reward_funcs(plan)
    changes = changes_of(Stage(plan.config, prompts, reward_funcs))
    if plan.config.num_processes > process_count():
        become_launcher(plan.config.num_processes, words)
    take_part = _train_alongside if process_number() else _train_as_first
    return take_part(plan, partial(_loop, plan, prompts, reward_funcs, changes))


def _train_as_first(plan: Plan, loop: Callable[[Journal], None]) -> int:
    """Train as the first and usually only process, which writes the run directory."""
    stop_request = StopRequest()
    with _claim_run(plan) as log, recorded_console(log.directory):
        sys.stderr.write(f"{_beginning(plan, log.directory)}\n")
        if remark := _remark_on_rewards(plan.config):
            sys.stderr.write(f"rlvitals: {visible(remark)}\n")
        journal = Journal(log, _sinks(plan, log), plan.config.total_steps, stop_request, plan.resumed_step or 0)
        try:
            _shared_run_directory(plan, log.directory)
            loop(journal)
            _shut_down()
        except Exception as error:  # whatever went wrong, the run records why
            words = in_words(error, plan.config, log.directory)
            print_failure(error, words)
            log.close("failed", words)
            return FAILED
        except KeyboardInterrupt:
            log.close("stopped", "interrupted within a step: no checkpoint of it was saved")
            return FINISHED
        finally:
            journal.close()
        if journal.last_step == plan.config.total_steps:
            log.close("finished")
        else:
            log.close("stopped", _scheduler_words(stop_request, log.directory))
    return FINISHED


def _scheduler_words(request: StopRequest, directory: Path) -> str | None:
    """What ended a training that its scheduler asked to end, and how it goes on; None for one that a user stopped."""
    if not request.scheduler_signal:
        return None
    sentence = (
        f"the scheduler asked it to end ({request.scheduler_signal}: its time limit, or a job that goes before); "
        f"it goes on from its checkpoint with: rlvitals train --resume {shlex.quote(str(directory))}"
    )
    sys.stderr.write(f"rlvitals: {visible(sentence)}\n")
    return sentence


def _train_alongside(plan: Plan, loop: Callable[[Journal], None]) -> int:
    """Train alongside the first process, which reads a failure here from the file that this one leaves."""
    directory = _shared_run_directory(plan, None)
    with recorded_console(directory, process_number()):
        try:
            loop(SilentJournal(directory, StopRequest(), plan.resumed_step or 0))
            _shut_down()
        except Exception as error:  # the first process records it in the run's state
            words = in_words(error, plan.config, directory)
            print_failure(error, words)
            _announce(f"process {process_number()}: {words}")
            return FAILED
    return FINISHED


def _shared_run_directory(plan: Plan, directory: Path | None) -> Path:
    """The run directory, once all processes of the training have joined."""
    if directory is not None and process_count() == 1:
        return directory
    from trainer.acceleration.parallel import processes  # noqa: PLC0415 - torch, after the run directory is claimed

    return processes.agree_on_directory(plan.config, directory)


def _shut_down() -> None:
    if process_count() > 1:
        from trainer.acceleration.parallel import processes  # noqa: PLC0415 - torch

        processes.shut_down()


def _announce(failure: str) -> None:
    from trainer.acceleration.parallel import processes  # noqa: PLC0415 - torch

    processes.announce_failure(failure)


def _loop(
    plan: Plan,
    prompts: Prompts,
    reward_funcs: Sequence[RewardFunc],
    changes: Changes[Any] | None,
    journal: Journal,
) -> None:
    """Import the algorithm's loop, which takes seconds because of torch, and run it."""
    loop = importlib.import_module(ALGORITHMS[plan.algorithm].loop)
    loop.train(plan.config, prompts, reward_funcs, journal, changes)


def _check_installation() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(
            told("training needs {names}; install them with: pip install 'rlvitals[trainer]'", names=", ".join(missing))
        )


def _reward_funcs(plan: Plan) -> list[RewardFunc]:
    config = plan.config
    functions = get_reward_funcs(config.reward_funcs or get_task(config.task).reward_funcs)
    if config.reward_weights and len(config.reward_weights) != len(functions):
        raise ConfigError(
            told(
                "reward_weights has {weights} values for {functions} reward functions; give one for each",
                weights=len(config.reward_weights),
                functions=len(functions),
            )
        )
    return functions


def _beginning(plan: Plan, directory: Path) -> str:
    words = _("{algorithm} on {data} writes to {folder}")
    if plan.resumed_step is not None:
        words = _("{algorithm} on {data} writes to {folder}, from step {step} on")
    return words.format(algorithm=plan.algorithm, data=plan.config.data_name, folder=directory, step=plan.resumed_step)


def _remark_on_rewards(config: TrainConfig) -> str:
    """A warning if a user's own dataset is scored by a demo task's rewards, which is rarely intended."""
    if config.dataset is None or config.reward_funcs:
        return ""
    names = ", ".join(get_task(config.task).reward_funcs)
    words = _(
        "no reward_funcs are given, so {data} is scored by {names}, the reward of the demo task {task}; name others "
        "with --reward_funcs"
    )
    return words.format(data=config.dataset, names=names, task=config.task)


def _claim_run(plan: Plan) -> RunLog:
    """Claim the given run directory, or the first free one below runs/."""
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
                told(
                    "cannot create {directory}: {problem}; choose another place with --run_dir",
                    directory=directory,
                    problem=error.strerror,
                )
            ) from error
        return _open_log(plan, directory)
    raise AssertionError("unreachable")


def _open_log(plan: Plan, directory: Path) -> RunLog:
    if plan.resumed_step is not None:
        return RunLog.resume(directory, step=plan.resumed_step, total=plan.config.total_steps, changes=plan.changed)
    return RunLog(
        directory,
        algorithm=plan.algorithm,
        task=plan.config.data_name,
        config=config_at_start(plan.config).to_dict(),
        total=plan.config.total_steps,
        parent=plan.parent,
        fault=fault_record(plan.config),
    )


def _sinks(plan: Plan, log: RunLog) -> Sinks:
    return Sinks(plan.config.report_to, Origin(log.directory, plan.config.to_dict(), log.run_id, plan.resumed_step))


def _end_process(code: int) -> NoReturn:
    """End this process. One of several skips interpreter shutdown, which the exchange's threads may abort."""
    if process_count() > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # everything is closed by now
    sys.exit(code)


if __name__ == "__main__":
    _end_process(main())
