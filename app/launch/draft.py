"""The Launch form's values before the start: their command, their run folder and their problems."""

import itertools
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnostics.language import _
from diagnostics.runlog import RUN_FILE
from diagnostics.told import reason
from trainer.config.algorithms import ALGORITHMS, make_config
from trainer.config.options import ConfigError, Option, options_of
from trainer.config.recipes import RECIPES, Recipe
from trainer.config.training import TrainConfig
from trainer.launch.new_run import as_text
from trainer.launch.submission import Placement


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of the form. `values` maps every option of the algorithm to the value entered for it.

    `recipe` is None for a training on the user's own model or data, which starts from the plain defaults. `name` is the
    name of the run's folder in `root`.
    """

    algorithm: str
    recipe: Recipe | None
    values: Mapping[str, Any]
    root: Path
    name: str
    job: Mapping[str, str] = field(default_factory=dict)
    """What is asked of a cluster, by the resource's name, if it is to run there: `executor` is among them then."""

    @property
    def run_dir(self) -> Path:
        """The run's folder."""
        return self.root / self.name

    @property
    def config(self) -> TrainConfig:
        """The validated configuration.

        Raises:
            ConfigError: The training cannot start with these values; the message says what to change.
        """
        config = make_config(self.algorithm, self.values)
        if problem := name_problem(self.name):
            raise ConfigError(problem)
        if self.recipe is None and not (config.model_name_or_path or config.dataset):
            raise ConfigError(_("name a model folder or a dataset of your own, or choose a preset that has both"))
        if (self.run_dir / RUN_FILE).exists():
            raise ConfigError(_("{folder} already holds a run; choose another run name").format(folder=self.run_dir))
        if self.is_job:
            self.placement.resources.placed(config.num_processes)
        return config

    @property
    def is_job(self) -> bool:
        """Whether it is to run on a cluster."""
        return bool(self.job)

    @property
    def placement(self) -> Placement:
        """Where it is to run. Raises ConfigError for a resource that is none."""
        return Placement.taken_from(self.job_words)[0]

    @property
    def job_words(self) -> tuple[str, ...]:
        """The arguments that send it to a cluster; none for this machine."""
        return tuple(itertools.chain.from_iterable((f"--{name}", word) for name, word in self.job.items() if word))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments after `rlvitals`, without the run folder: the preset and the options that differ from it.

        Raises:
            ConfigError: A value does not fit its option.
        """
        base = base_values(self.algorithm, self.recipe)
        parsed = {option.name: option.parse(self.values[option.name]) for option in launch_options(self.algorithm)}
        changes = ((f"--{name}", as_text(value)) for name, value in parsed.items() if value != base[name])
        recipe = ("--recipe", self.recipe.name) if self.recipe else ()
        return ("train", self.algorithm, *recipe, *itertools.chain.from_iterable(changes))

    @property
    def command(self) -> str:
        """The shell command that starts this training, one option per line. Raises ConfigError like `arguments`."""
        words = (*self.arguments, "--run_dir", str(self.run_dir), *self.job_words)
        return "rlvitals" + "".join((" \\\n  " if word.startswith("--") else " ") + shlex.quote(word) for word in words)


def launch_options(algorithm: str) -> tuple[Option, ...]:
    """The algorithm's options, in the order of its configuration."""
    return options_of(ALGORITHMS[algorithm].config)


def base_values(algorithm: str, recipe: Recipe | None) -> dict[str, Any]:
    """Every option's initial value: the preset's if it sets one, else the default."""
    given = recipe.values if recipe else {}
    return {
        option.name: option.parse(given[option.name]) if option.name in given else option.default
        for option in launch_options(algorithm)
    }


def value_problem(option: Option, value: Any) -> str | None:
    """One sentence on why a value does not fit its option; None if it does."""
    try:
        option.parse(value)
    except ConfigError as error:
        return reason(error)
    return None


def name_problem(name: str) -> str | None:
    """Why a run cannot have this name, which is also its folder's; None if it can."""
    if name in ("", ".", "..") or name != Path(name).name or not name.isprintable():
        words = _("the run name {name} is not the name of a folder; leave out / and ..")
        return words.format(name=repr(name))
    return None


def name_stem(algorithm: str, recipe: Recipe | None, values: Mapping[str, Any]) -> str:
    """A run's name without its number: the preset, else the algorithm and the data it trains on."""
    return recipe.name if recipe else f"{algorithm}-{Path(values['dataset'] or values['task']).stem}"


def preset_for(algorithm: str, current: Recipe | None) -> Recipe | None:
    """The preset to select when the algorithm changes: the algorithm's first, or none if none was selected."""
    if current is None or current.algorithm == algorithm:
        return current
    return next(recipe for recipe in RECIPES.values() if recipe.algorithm == algorithm)


def preset_label(recipe: Recipe | None) -> str:
    """A preset's label in the list; deliberately unhealthy ones are marked."""
    if recipe is None:
        return _("Your own model or dataset")
    algorithm = recipe.algorithm.upper()
    title = _(recipe.title) if algorithm in recipe.title else f"{_(recipe.title)} ({algorithm})"
    return title if recipe.is_healthy else _("Sick on purpose: {title}").format(title=title)
