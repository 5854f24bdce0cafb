"""What an evaluation executes besides rlvitals itself and the judge, which the user names on the command line."""

from collections.abc import Iterator

from trainer.evaluate.arguments import Request, TrainedRun
from trainer.trust.foreign_code import ForeignCode, code_of_model, code_of_model_and_data


def code_of_evaluation(request: Request) -> tuple[ForeignCode, ...]:
    """The code that loading the runs' models, checkpoints and datasets executes. Raises ConfigError as `code_in`."""
    runs = [run for run in (request.run, request.against) if isinstance(run, TrainedRun)]
    return tuple(dict.fromkeys(item for run in runs for item in _code_of_run(run)))


def _code_of_run(run: TrainedRun) -> Iterator[ForeignCode]:
    yield from code_of_model_and_data(run.config)
    yield from code_of_model(str(run.checkpoint.resolve()), {"checkpoint"})  # loaded without trust_remote_code
