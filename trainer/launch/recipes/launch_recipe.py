"""A launch recipe: the command of a user's own script, with places for the values of its parameters."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from diagnostics.runlog import RecordError, RunRecord
from diagnostics.runlog.writer import PARENT_VARIABLE
from trainer.config.options import ConfigError, did_you_mean
from trainer.launch.error import LaunchError
from trainer.launch.executors import Resources, Task
from trainer.launch.executors.following import follow_command
from trainer.launch.queue.job import Spec
from trainer.launch.queue.submitting import command_spec
from trainer.launch.recipes.parameter import Parameter

RUN_DIR, PYTHON, FOLDER = "run_dir", "python", "folder"
BUILT_IN = (RUN_DIR, PYTHON, FOLDER)
"""Places that no parameter fills: the new run's folder, the Python that runs rlvitals, the recipes file's folder."""
PLACE = re.compile(r"\{([\w.]+)\}")


@dataclass(frozen=True, slots=True)
class LaunchRecipe:
    """`command` is a list of words, each of which may hold places such as `{learning_rate}`; no shell reads them.

    `logs` is where the script's logs appear, the new run's folder by default. `slot` is what it asks the queue for;
    with an `executor` it runs on a cluster instead, which `resources` are asked of: their values may hold places too.
    """

    name: str
    command: tuple[str, ...]
    cwd: Path
    folder: Path
    title: str = ""
    help: str = ""
    logs: str = "{run_dir}"
    slot: str = ""
    executor: str = ""
    resources: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def words_of(self, given: Mapping[str, str]) -> dict[str, str]:
        """Every parameter's value as it stands in the command: what is given, else the default.

        Raises:
            LaunchError: A value is none, is out of bounds or is missing, or there is no such parameter.
        """
        for name in given:
            if name not in self.parameters:
                known = did_you_mean(name, self.parameters) or f"; it has {', '.join(self.parameters) or 'none'}"
                raise LaunchError(f"the recipe {self.name} has no parameter {name!r}{known}")
        words = {}
        for name, parameter in self.parameters.items():
            value = given.get(name, parameter.default)
            if value is None:
                raise LaunchError(f"the recipe {self.name} needs {name}: {parameter.bounds}")
            words[name] = parameter.word(value)
        return words

    def argv(self, given: Mapping[str, str], run_dir: Path) -> tuple[str, ...]:
        """The command, word by word. Raises LaunchError as `words_of` does."""
        return tuple(self._filled(word, self.words_of(given), run_dir) for word in self.command)

    def spec(self, given: Mapping[str, str], run_dir: Path, usual_slot: str, child_of: Path | None = None) -> Spec:
        """The job that runs it in the queue. Raises LaunchError as `words_of` does."""
        logs = Path(self._filled(self.logs, self.words_of(given), run_dir))
        spec = command_spec(
            self.argv(given, run_dir),
            self.cwd,
            name=run_dir.name,
            run_dir=self.cwd / logs,
            asks=self.slot or usual_slot,
            recipe=self.name,
            given=given,
            child_of=child_of,
        )
        parent = {PARENT_VARIABLE: run_id} if (run_id := _run_id(child_of)) else {}
        environment = {**self.environment, **parent}
        if self.executor:
            spec = self._on_cluster(spec, given, run_dir, environment)
        return spec.with_environment(environment)

    def _on_cluster(self, spec: Spec, given: Mapping[str, str], run_dir: Path, environment: Mapping[str, str]) -> Spec:
        """The job that has the command run there. Raises LaunchError where a resource cannot be asked for."""
        words = self.words_of(given)
        resources = {name: self._filled(word, words, run_dir) for name, word in self.resources.items()}
        try:
            Resources.parse(resources)
        except ConfigError as error:
            raise LaunchError(f"the recipe {self.name}: {error}") from error
        task = Task(spec.argv, spec.name, environment=environment)
        follow = follow_command(self.executor, task, resources, spec.run_dir or run_dir)
        return replace(spec, argv=follow, executor=self.executor, asks="")

    def _filled(self, word: str, words: Mapping[str, str], run_dir: Path) -> str:
        own = {RUN_DIR: str(run_dir.absolute()), PYTHON: sys.executable, FOLDER: str(self.folder)}
        return PLACE.sub(lambda place: {**words, **own}[place[1]], word)


def _run_id(run: Path | None) -> str:
    """The id that a run has in its own record; empty where it has none."""
    try:
        return RunRecord.read(run).run_id if run is not None else ""
    except RecordError:
        return ""
