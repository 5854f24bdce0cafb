"""The queue for other programs: one request as JSON on the standard input, the answer as JSON on the standard output.

python -P -m trainer.queueing

A request is an object with `do` and what that takes; the answer has a `message`, the jobs that it is about, the slots,
and whether somebody works on the queue. Exit code 2: it cannot be done, and stderr says why in one sentence. Loads no
torch.
"""

import itertools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnostics.addresses import address_of
from diagnostics.visible_text import visible
from trainer.config.options import ConfigError
from trainer.launch import LaunchError
from trainer.launch.arguments import RUNS_FOLDER
from trainer.launch.cloning import clone
from trainer.launch.consent import FLAGS
from trainer.launch.new_run import free_name
from trainer.launch.queue import Job, Queue, Spec
from trainer.launch.queue.ending import ask_to_stop, kill
from trainer.launch.queue.job_document import job_documents, slot_documents
from trainer.launch.queue.submitting import command_spec, retry, submit, training_spec
from trainer.launch.queue.sweep import variants
from trainer.launch.queue.worker import ensure_worker, is_worked_on
from trainer.launch.recipes import recipe_named, recipes_file
from trainer.launch.recipes.document import recipe_documents
from trainer.launch.relaunching import is_of_bundled_trainer, relaunch_specs, relaunch_words
from trainer.launch.starting import slot_for
from trainer.launch.submission import plan_of
from trainer.trust.admission import admit_training

Request = Mapping[str, Any]
Answer = tuple[str, Sequence[Job]]
BAD_INPUT = 2


def main() -> int:
    """Answer one request."""
    queue = Queue.of_user()
    request = json.load(sys.stdin)
    try:
        if request["do"] == "recipes":
            sys.stdout.write(json.dumps({"file": str(recipes_file()), "recipes": recipe_documents()}) + "\n")
            return 0
        message, jobs = _ACTIONS[request["do"]](queue, request)
        known = queue.jobs()
        if any(not job.has_ended for job in known):
            ensure_worker(queue)
        answer = {
            "message": message,
            "jobs": job_documents(queue, jobs, known),
            "slots": slot_documents(queue.slots(), known),
            "is_worked_on": is_worked_on(queue),
        }
    except (ConfigError, LaunchError) as error:
        sys.stderr.write(f"rlvitals: {visible(str(error))}\n")
        return BAD_INPUT
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


def _list(queue: Queue, request: Request) -> Answer:
    return "", queue.jobs()


def _add(queue: Queue, request: Request) -> Answer:
    if request.get("recipe"):
        spec = _recipe_spec(queue, request, request["given"])
        (job,) = submit([spec], queue)
        return f"job {job.id} is queued", [job]
    spec = _spec(queue, request, request["words"], Path(request["run_dir"]) if request.get("run_dir") else None)
    (job,) = submit([spec], queue)
    return f"job {job.id} is queued", [job]


def _sweep(queue: Queue, request: Request) -> Answer:
    """One job for each point of the grid and each seed, all or none."""
    points = variants(request["grid"], request["seeds"])
    if request.get("recipe"):
        recipe = recipe_named(request["recipe"])
        for point in points:
            recipe.words_of({**request["given"], **point.changes})  # all are checked before a folder is made
        made = [_recipe_spec(queue, request, {**request["given"], **point.changes}, point.name) for point in points]
        jobs = submit(made, queue)
        return f"{len(jobs)} jobs are queued", jobs
    words = request["words"]
    if words[:1] != ["train"]:
        raise LaunchError("a sweep changes the arguments of: train ppo|grpo|rloo …, or of a --recipe")
    changed = [[*words, *itertools.chain.from_iterable(point.words)] for point in points]
    for each in changed:
        plan_of(each[1:])  # all are checked before a folder is made
    specs = [_spec(queue, request, each, None, point.name) for each, point in zip(changed, points, strict=True)]
    jobs = submit(specs, queue)
    return f"{len(jobs)} jobs are queued", jobs


def _recipe_spec(queue: Queue, request: Request, given: Mapping[str, str], name: str = "") -> Spec:
    recipe = recipe_named(request["recipe"])
    recipe.words_of(given)
    folder = Path(request["run_dir"]) if request.get("run_dir") else _new_folder(recipe.name, name)
    return recipe.spec(given, folder, request.get("asks") or queue.slots().usual)


def _relaunch(queue: Queue, request: Request) -> Answer:
    """One job for each variant of a run's settings."""
    run = Path(request["run"])
    root = RUNS_FOLDER if address_of(run) else None  # nothing is written beside the copy of what lies elsewhere
    if is_of_bundled_trainer(run):
        for changes in request["variants"]:
            admit_training(plan_of(relaunch_words(run, changes)[1:]), asks=False)
    jobs = submit(relaunch_specs(queue, run, request["variants"], root), queue)
    return f"{len(jobs)} jobs are queued", jobs


def _spec(queue: Queue, request: Request, words: Sequence[str], run_dir: Path | None, name: str = "") -> Spec:
    """What is to run. A training's arguments are checked now, and what was typed is trusted by that."""
    if words[:1] != ["train"]:
        asks = request.get("asks") or queue.slots().usual
        return command_spec(words, Path.cwd(), run_dir=run_dir, asks=asks)
    plan = plan_of(words[1:])
    if plan.resumed_step is not None:
        raise LaunchError("a run that goes on has its own command: rlvitals queue retry, or rlvitals train --resume")
    admit_training(plan, asks=False)
    folder = run_dir or plan.directory or _new_folder(f"{plan.algorithm}-{plan.config.data_name}", name)
    words = _without(words, "run_dir", *FLAGS)
    return training_spec(words, folder, request.get("asks") or slot_for(words))


def _new_folder(stem: str, name: str) -> Path:
    """A free folder below runs/, made at once so that the next one gets another name."""
    named = f"{stem}-{name}" if name else stem
    folder = RUNS_FOLDER / (free_name(RUNS_FOLDER, named) if not name or (RUNS_FOLDER / named).exists() else named)
    folder.mkdir(parents=True)
    return folder


def _without(words: Sequence[str], *names: str) -> list[str]:
    """The words without these options and their values."""
    kept: list[str] = []
    is_left_out = False
    for word in words:
        if word.startswith("--"):
            is_left_out = word[2:].partition("=")[0].replace("-", "_") in names
        if not is_left_out:
            kept.append(word)
    return kept


def _stop(queue: Queue, request: Request) -> Answer:
    job = ask_to_stop(queue, request["number"])
    return f"job {job.id} {'is out of the queue' if job.has_ended else 'finishes its step, saves and ends'}", [job]


def _kill(queue: Queue, request: Request) -> Answer:
    job = kill(queue, request["number"])
    return f"job {job.id} {'is out of the queue' if job.has_ended else 'is killed'}", [job]


def _retry(queue: Queue, request: Request) -> Answer:
    job = retry(request["number"], queue)
    return f"job {job.id} is queued again", [job]


def _move(queue: Queue, request: Request) -> Answer:
    return "", queue.move(request["number"], request["place"])


def _clone(queue: Queue, request: Request) -> Answer:
    spec = clone(queue.job(request["number"]).spec, request["words"])
    if spec.is_training:
        admit_training(plan_of(spec.words[1:]), asks=False)
    (job,) = submit([spec], queue)
    return f"job {job.id} is queued", [job]


def _slots(queue: Queue, request: Request) -> Answer:
    queue.set_slots(request.get("cpu"), request.get("gpu"))
    return "", []


_ACTIONS: Mapping[str, Callable[[Queue, Request], Answer]] = {
    "list": _list,
    "add": _add,
    "sweep": _sweep,
    "stop": _stop,
    "kill": _kill,
    "retry": _retry,
    "move": _move,
    "clone": _clone,
    "slots": _slots,
    "relaunch": _relaunch,
}


if __name__ == "__main__":
    sys.exit(main())
