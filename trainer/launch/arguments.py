"""Parses the arguments of `rlvitals train` into a checked plan. Imports no torch."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_toml
from diagnostics.language import _, pgettext
from diagnostics.punctuation import labelled
from diagnostics.told import told
from trainer.config.algorithms import ALGORITHMS, make_config
from trainer.config.built_in_rewards import BUILT_IN
from trainer.config.fault_values import without_fault
from trainer.config.options import ConfigError, Option, did_you_mean, options_of
from trainer.config.recipes import RECIPES, demo_recipe
from trainer.config.training import TrainConfig
from trainer.faults import FAULTS
from trainer.launch.consent import FLAGS, Consent, consent_of
from trainer.launch.executors import RayExecutor
from trainer.launch.executors.resources import RESOURCE_HELP, ResourceHelp
from trainer.launch.recorded_run import RecordedRun
from trainer.launch.resuming import checkpoints_of, config_of_run, newest_resumable, with_changes_on_resume
from trainer.launch.several_processes import process_count

_NAMES = "|".join(ALGORITHMS)
_USAGE = f"""\
train {_NAMES} [--recipe NAME] [--config FILE.toml] [--FIELD VALUE ...] [--run_dir DIR]
train --from RUN [--FIELD VALUE ...] [--run_dir DIR]
train --resume RUN [--max_steps N] [--save_steps N] [...]
train [...] --executor slurm [--nodes N] [--gpus_per_node N] [--time MINUTES] [--partition NAME] [...]
train {_NAMES} --fault NAME [--fault_step K] [...]
train [...] --trust         {{trust}}
train [...] --only_trusted  {{only_trusted}}
train --list_faults
evaluate RUN --judge JUDGE [--against dataset|reference-model|RUN] [--trust] [...]
stop RUN
"""
RUNS_FOLDER = Path("runs")
_NOT_OPTIONS = ("config", "recipe", "from", "resume", "run_dir", *FLAGS)
_OWN_DATA = ("model_name_or_path", "dataset")


@dataclass(frozen=True, slots=True)
class Plan:
    """A training that is ready to start. Without a `directory` it takes the next free folder below runs/."""

    algorithm: str
    config: TrainConfig
    directory: Path | None
    parent: str | None = None
    """The run_id of the run that it relaunches."""
    inherited: TrainConfig | None = None
    """The configuration of that run."""
    resumed_step: int | None = None
    """The step after which the run in `directory` resumes: a checkpoint's, or 0 without one. None: a new run."""
    changed: Mapping[str, Any] = field(default_factory=dict)
    """The options that change as the run resumes."""
    source: str = told("the command line")
    """What names the options that were not typed: a run or a configuration file."""
    typed: frozenset[str] = frozenset()
    """The options that the command line itself names."""
    consent: Consent = Consent.ASK
    """Whether code that the options name may run although it is not trusted yet."""


def read_plan(words: Sequence[str]) -> Plan:
    """Parse the arguments after `train`.

    The command line overrides the --config file, which overrides the recipe. Without --recipe and --config the demo
    task's recipe applies, unless a user's own model or dataset is named.

    Raises:
        ConfigError: The arguments, or a file that they name, do not describe a training.
    """
    named, given = _split(words)
    fields = {name: value for name, value in given.items() if name not in _NOT_OPTIONS}
    plan = _plan(named, given, fields)
    source = next((given[name] for name in ("resume", "from", "config") if name in given), plan.source)
    return replace(plan, source=source, typed=frozenset(fields), consent=consent_of(given))


def _plan(named: str, given: Mapping[str, str], fields: Mapping[str, str]) -> Plan:
    directory = Path(given["run_dir"]) if given.get("run_dir") else None
    if "resume" in given:
        return _resume(Path(given["resume"]), given, fields)
    if "from" in given:
        return _relaunch(Path(given["from"]), named, fields, directory)
    algorithm = named or _algorithm_of_recipe(given.get("recipe"))
    in_file = _read_toml(Path(given["config"])) if "config" in given else {}
    chosen = {**_values_for_fault(algorithm, fields.get("fault"), "recipe" in given), **in_file, **fields}
    base = _recipe_values(algorithm, given.get("recipe"), is_default="config" not in given, chosen=chosen)
    return Plan(
        algorithm, make_config(algorithm, {**base, **_launched_processes(), **chosen}).with_absolute_paths(), directory
    )


def usage() -> str:
    """The commands of the trainer, a line each."""
    return _USAGE.format(
        trust=_("also run the code that a RUN or FILE.toml names, and remember its content as trusted"),
        only_trusted=_("run no code that is not trusted yet, whoever names it"),
    )


def help_text(algorithm: str) -> str:
    """The help of an algorithm: its options with their defaults, the reward functions and the recipes."""
    lines = [_help_line(option) for option in options_of(ALGORITHMS[algorithm].config)]
    rewards = [f"  {built_in.syntax(name)}\n      {_(built_in.summary)}" for name, built_in in BUILT_IN.items()]
    parts = (
        usage().rstrip("\n"),
        "\n".join([_("Options of {algorithm}:").format(algorithm=algorithm), *lines]),
        "\n".join([_("Reward functions, beside path/to/file.py:function:"), *rewards]),
        labelled(_("Recipes"), ", ".join(RECIPES)),
        "\n".join([_resources_heading(), *map(_resource_line, RESOURCE_HELP.items())]),
    )
    return "\n\n".join(parts) + "\n"


def _resources_heading() -> str:
    heading = _("Resources of --executor slurm (ray takes {names}):")
    return heading.format(names=", ".join(f"--{name}" for name in RayExecutor.takes))


def _split(words: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The algorithm ("" if none is named) and the --name value pairs; several values are joined by commas."""
    algorithm = words[0] if words and not words[0].startswith("--") else ""
    pairs: dict[str, list[str]] = {}
    name = ""
    for word in words[bool(algorithm) :]:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            name = name.replace("-", "_")
            pairs[name] = [value] if "=" in word else []
        elif name:
            pairs[name].append(word)
        else:
            raise ConfigError(
                told(
                    "{word!r} is unexpected after {algorithm!r}; options are written --name value",
                    word=word,
                    algorithm=algorithm,
                )
            )
    return algorithm, {name: ",".join(values) if values else "true" for name, values in pairs.items()}


def separate(words: Sequence[str], names: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """The options of these names, each with its values joined by commas, and all other words as they are."""
    taken: list[str] = []
    rest: list[str] = []
    into = rest
    for word in words:
        if word.startswith("--"):
            into = taken if word[2:].partition("=")[0].replace("-", "_") in names else rest
        into.append(word)
    return _split(taken)[1], rest


def _relaunch(run: Path, named: str, fields: Mapping[str, str], directory: Path | None) -> Plan:
    parent = RecordedRun.read(run, told("--from needs one"))
    algorithm = parent.algorithm
    if named and named != algorithm:
        raise ConfigError(
            told(
                "{run} is a run of {algorithm}, not of {named}; leave the algorithm out after --from",
                run=run,
                algorithm=algorithm,
                named=named,
            )
        )
    settled = without_fault(make_config(algorithm, parent.options))
    config = make_config(algorithm, {**settled.to_dict(), **fields}).with_absolute_paths()
    return Plan(algorithm, config, directory, parent=parent.run_id, inherited=settled)


def _resume(run: Path, given: Mapping[str, str], fields: Mapping[str, str]) -> Plan:
    """The plan that resumes a run from its newest checkpoint, or from the start if it has none."""
    if clashing := sorted({"from", "recipe", "config", "run_dir"} & given.keys()):
        raise ConfigError(told("--resume continues a run as it is; leave --{clashing} out", clashing=clashing[0]))
    algorithm, config = config_of_run(run)
    found = newest_resumable(run)
    if found is None and checkpoints_of(run):
        raise ConfigError(
            told(
                "the checkpoints of {run} hold only the model; start a new run from it: --model_name_or_path "
                "CHECKPOINT",
                run=run,
            )
        )
    step = found[0] if found else 0
    config, changed = with_changes_on_resume(config, fields)
    if step >= config.total_steps:
        raise ConfigError(
            told(
                "{run} has done its {total_steps} steps; to continue, give a larger --max_steps",
                run=run,
                total_steps=config.total_steps,
            )
        )
    return Plan(algorithm, config, run, resumed_step=step, changed=changed)


def _launched_processes() -> dict[str, int]:
    """The number of processes if a launcher started several, since the batch size depends on it."""
    return {"num_processes": process_count()} if process_count() > 1 else {}


def _values_for_fault(algorithm: str, name: str | None, has_recipe: bool) -> dict[str, Any]:
    """What a fault is made for, used unless something else is named: its setting and, without a recipe, its task."""
    fault = FAULTS.get(name) if name else None
    task = fault.task_for(algorithm) if fault else None
    if fault is None or task is None:
        return {}
    return {**fault.setting, **({} if has_recipe else {"task": task})}


def _algorithm_of_recipe(name: str | None) -> str:
    if name is None:
        *names, last = ALGORITHMS
        raise ConfigError(
            told("name the algorithm to train with: {names} or {last}", names=", ".join(names), last=last)
        )
    return RECIPES[name].algorithm if name in RECIPES else next(iter(ALGORITHMS))


def _recipe_values(algorithm: str, name: str | None, is_default: bool, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    if name is None:
        uses_demo = is_default and algorithm in ALGORITHMS and not any(chosen.get(own) for own in _OWN_DATA)
        return _demo_values(algorithm, chosen.get("task")) if uses_demo else {}
    recipe = RECIPES.get(name)
    if recipe is None or recipe.algorithm != algorithm:
        known = ", ".join(recipe.name for recipe in RECIPES.values() if recipe.algorithm == algorithm)
        raise ConfigError(
            told(
                "{algorithm} has no recipe {name!r}{hint}; its recipes are {known}",
                algorithm=algorithm,
                name=name,
                hint=did_you_mean(name, RECIPES),
                known=known,
            )
        )
    return recipe.values


def _demo_values(algorithm: str, task: str | None) -> Mapping[str, Any]:
    defaults = {option.name: option.default for option in options_of(ALGORITHMS[algorithm].config)}
    demo = demo_recipe(algorithm, task or defaults["task"])
    return demo.values if demo else {}


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except (OSError, ValueError) as error:
        raise ConfigError(told("the configuration {path} cannot be read: {error}", path=path, error=error)) from error


def _resource_line(resource: tuple[str, ResourceHelp]) -> str:
    name, told_of = resource
    default_of = _("(default: {value})").format(value=_(told_of.unnamed))
    return f"  --{name} {default_of}\n      {_(told_of.meaning)}"


def _help_line(option: Option) -> str:
    default = ",".join(map(str, option.default or ())) if option.many else option.default
    choices = f" [{'|'.join(map(str, option.choices))}]" if option.choices else ""
    shown = pgettext("value of an option", "empty") if default in (None, "") else default
    default_of = _("(default: {value})").format(value=shown)
    return f"  --{option.name}{choices} {default_of}\n      {_(option.help)}"
