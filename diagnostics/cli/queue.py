"""`rlvitals queue`: the trainings that wait, run and ran on this machine, in a process of the trainer."""

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from diagnostics.cli.command import (
    FORMATS,
    LANG,
    CommandError,
    Parser,
    add_output,
    command_parser,
    output_style,
    print_note,
    write_result,
)
from diagnostics.cli.packages import check_not_hidden, python_command
from diagnostics.cli.reading import log_path
from diagnostics.cli.recipes import recipes_help
from diagnostics.cli.relaunching import APPLY, Relaunch
from diagnostics.cli.trainer_door import Answer, ask_queue
from diagnostics.language import LANGUAGES, N_, _
from diagnostics.report.strict_json import to_json
from diagnostics.report.table_forms import Table
from diagnostics.wording.jobs import remark, since, state_of_job, used

_ENDED_SHOWN = 20
_COLUMNS = {
    "id": N_("Job"),
    "state_in_words": N_("State"),
    "name": N_("Name"),
    "slot": N_("Slot"),
    "since": N_("Since"),
    "used": N_("Used"),
    "remark": N_("Remark"),
}
_ALIASES = {"cancel": "stop"}
_ENDED = ("finished", "failed", "killed")
_FIELD = re.compile(r"[A-Za-z_][\w.-]*")

Given = argparse.Namespace
Words = Sequence[str]


def run(words: Words) -> int:
    """0, or 2 where the queue refuses."""
    own, rest = _split(words)
    given = _parser().parse_args(own)
    action = _ALIASES.get(given.action, given.action) or "list"
    if rest and action not in ("add", "sweep", "clone"):
        raise CommandError(_("nothing is expected after -- here: {words}").format(words=" ".join(rest)))
    if action == "work":
        _work()
    answer = _REQUESTS[action](given, rest)
    _write(answer, given, has_all=action != "list" or given.all)
    return 0


def _split(words: Words) -> tuple[Words, Words]:
    """What stands before the first --, and after it."""
    if "--" not in words:
        return words, ()
    place = list(words).index("--")
    return words[:place], words[place + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "queue",
        _("The trainings that wait, run and ran on this machine. Without a command: list them."),
        (
            "rlvitals queue",
            "rlvitals queue add -- train grpo --learning_rate 1e-5",
            "rlvitals queue add -- train --from runs/a --apply-fixes",
            "rlvitals queue sweep --grid learning_rate=1e-5,1e-4 --seeds 1,2,3 -- train grpo",
            "rlvitals queue clone 3 -- --learning_rate 1e-6",
            "rlvitals queue slots 2 --gpus 1",
        ),
    )
    parser.add_argument("--all", action="store_true", help=_all_help())
    add_output(parser)
    actions = parser.add_subparsers(dest="action", metavar="COMMAND")
    listing = _action(actions, "list", _("list the jobs"))
    listing.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help=_all_help())
    adding = _action(actions, "add", _("put a training, or any command, at the end: add -- train grpo …"))
    adding.add_argument("--run_dir", metavar="DIR", type=Path, help=_("where the logs of a command of your own appear"))
    _add_recipe(adding)
    _add_slot(adding)
    sweeping = _action(actions, "sweep", _("put a training for each point of a small grid, and each seed, at the end"))
    sweeping.add_argument(
        "--grid", metavar="NAME=A,B", action="append", default=[], help=_("values of an argument; may be repeated")
    )
    sweeping.add_argument("--seeds", metavar="1,2,3", default="", help=_("each point with each of these seeds"))
    _add_recipe(sweeping)
    _add_slot(sweeping)
    for name, summary in (
        ("stop", _("let a job finish its step, save and end; take a queued one out")),
        ("kill", _("end a job at once, with all that it started")),
        ("retry", _("put a job that has ended at the end again; a run of rlvitals goes on from its checkpoint")),
        ("clone", _("put the same at the end, in a new folder, with the arguments after -- changed")),
    ):
        _add_number(_action(actions, name, summary))
    moving = _action(actions, "move", _("change the place of a queued job: 1 is the next"))
    _add_number(moving)
    moving.add_argument("place", metavar="PLACE", type=int)
    slots = _action(actions, "slots", _("how many jobs run at once: without a GPU, and on which number of GPUs"))
    slots.add_argument("cpu", metavar="N", type=_slot_count, nargs="?")
    slots.add_argument("--gpus", metavar="N", type=_slot_count, help=_("one job on each of so many GPUs"))
    _action(actions, "work", _("work on the queue here until it is empty; whoever adds a job sees to that anyway"))
    return parser


def _action(actions: Any, name: str, summary: str) -> argparse.ArgumentParser:
    """The parser of one command, which takes the options of the output as well."""
    aliases = [alias for alias, of in _ALIASES.items() if of == name]
    parser: argparse.ArgumentParser = actions.add_parser(
        name, aliases=aliases, help=summary, description=summary, allow_abbrev=False
    )
    parser.add_argument("--format", choices=FORMATS, default=argparse.SUPPRESS, help=_("form of the output"))
    parser.add_argument("--output", metavar="FILE", type=Path, default=argparse.SUPPRESS, help=_("write to this file"))
    parser.add_argument(LANG, choices=tuple(LANGUAGES), default=argparse.SUPPRESS, help=_("the language"))
    return parser


def _all_help() -> str:
    return _("also the jobs that ended before the last {count}").format(count=_ENDED_SHOWN)


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--recipe", metavar="NAME", default="", help=_("a launch recipe, instead of words after --"))
    parser.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help=_("a parameter of the recipe; may be repeated")
    )
    parser.add_argument("--recipes", metavar="FILE", type=Path, help=recipes_help())


def _add_number(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", metavar="JOB", type=int, help=_("the job's number"))


def _add_slot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--slot",
        metavar="KIND",
        default="",
        help=_("cpu, gpu or a slot's own name (default: a GPU where there is one)"),
    )


def _slot_count(text: str) -> int:
    if not text.isdecimal() or int(text) > 256:
        raise argparse.ArgumentTypeError(_("{value} is no number of slots from 0 to 256").format(value=repr(text)))
    return int(text)


def _add(given: Given, rest: Words) -> Answer:
    if not rest and not given.recipe:
        raise CommandError(_("say what to run: {example}").format(example="rlvitals queue add -- train grpo"))
    run_dir = str(given.run_dir) if given.run_dir else None
    if relaunch := _relaunch(rest):
        if not relaunch.is_ours:
            return ask_queue(given.recipes, do="relaunch", run=str(relaunch.run.path), variants=[relaunch.variant()])
        rest = ["train", *relaunch.words()]
    return ask_queue(do="add", words=list(rest), run_dir=run_dir, asks=given.slot, **_recipe(given, rest))


def _relaunch(words: Words) -> Relaunch | None:
    """The run that a `train --from` trains again; None for any other command."""
    arguments = Parser("rlvitals train", add_help=False, allow_abbrev=False)
    arguments.add_argument("--from", dest="parent", type=log_path)
    arguments.add_argument(APPLY, action="store_true")
    own, rest = arguments.parse_known_args(words)
    if list(words[:1]) != ["train"] or own.parent is None:
        return None
    return Relaunch.read(own.parent, rest[1:], has_fixes=own.apply_fixes)


def _sweep(given: Given, rest: Words) -> Answer:
    grid: dict[str, list[str]] = {}
    for axis in given.grid:
        name, _sign, values = axis.partition("=")
        if not _FIELD.fullmatch(name) or not _listed(values):
            example = "--grid learning_rate=1e-5,1e-4"
            raise CommandError(_("{axis} names no values; write {example}").format(axis=repr(axis), example=example))
        grid[name] = _listed(values)
    seeds, words = _listed(given.seeds), list(rest)
    return ask_queue(do="sweep", words=words, grid=grid, seeds=seeds, asks=given.slot, **_recipe(given, rest))


def _recipe(given: Given, rest: Words) -> dict[str, Any]:
    """The recipe and what is set of it; nothing without one."""
    if not given.recipe and not given.set:
        return {}
    if rest or not given.recipe:
        raise CommandError(_("--set belongs to a --recipe, and a recipe takes no words after --"))
    pairs = [word.partition("=") for word in given.set]
    if wrong := [name for name, sign, _value in pairs if not sign or not name]:
        example = "--set learning_rate=1e-5"
        raise CommandError(_("{word} sets nothing; write {example}").format(word=repr(wrong[0]), example=example))
    return {"recipes": given.recipes, "recipe": given.recipe, "given": {name: value for name, _sign, value in pairs}}


def _listed(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _of_job(do: str) -> Callable[[Given, Words], Answer]:
    return lambda given, rest: ask_queue(do=do, number=given.number, words=list(rest))


_REQUESTS: Mapping[str, Callable[[Given, Words], Answer]] = {
    "list": lambda given, rest: ask_queue(do="list"),
    "add": _add,
    "sweep": _sweep,
    "stop": _of_job("stop"),
    "kill": _of_job("kill"),
    "retry": _of_job("retry"),
    "clone": _of_job("clone"),
    "move": lambda given, rest: ask_queue(do="move", number=given.number, place=given.place),
    "slots": lambda given, rest: ask_queue(do="slots", cpu=given.cpu, gpu=given.gpus),
}


def _write(answer: Answer, given: Given, *, has_all: bool) -> None:
    if given.format == "json":
        write_result(to_json(answer), given.output)
        return
    jobs = answer["jobs"] if has_all else _without_long_ended(answer["jobs"])
    now = time.time()
    rows = [{**job, **_words_of(job, now)} for job in jobs]
    parts = [Table("jobs", _COLUMNS, rows).render(given.format, output_style(given.output))] if rows else []
    if answer["message"]:
        parts.insert(0, answer["message"])
    parts.append(_("Slots: {slots}").format(slots=_slots(answer["slots"])))
    write_result("\n\n".join(parts), given.output)
    if len(jobs) < len(answer["jobs"]):
        print_note(_("{count} more have ended; --all lists them").format(count=len(answer["jobs"]) - len(jobs)))


def _without_long_ended(jobs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    ended = [job["id"] for job in jobs if job["state"] in _ENDED][:_ENDED_SHOWN]
    return [job for job in jobs if job["state"] not in _ENDED or job["id"] in ended]


def _words_of(job: Mapping[str, Any], now: float) -> dict[str, str]:
    return {"state_in_words": state_of_job(job), "since": since(job, now), "used": used(job), "remark": remark(job)}


def _slots(slots: Sequence[Mapping[str, Any]]) -> str:
    free = _("free")
    told = [f"{slot['name']} {free if slot['job'] is None else _job_word(slot['job'])}" for slot in slots]
    return ", ".join(told) or _("none")


def _job_word(number: int) -> str:
    return _("job {number}").format(number=number)


def _work() -> NoReturn:
    """Become the process that works on the queue."""
    check_not_hidden("trainer")
    sys.stdout.flush()
    command = python_command("trainer.launch.queue.worker")
    os.execv(command[0], command)
