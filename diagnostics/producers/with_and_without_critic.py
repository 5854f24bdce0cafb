"""What producers that train with and without a critic share: one table of names, told apart by the critic's metrics."""

from collections.abc import Callable, Mapping, Sequence

from diagnostics.model.vocabulary import EVAL_PREFIX
from diagnostics.producers.nested_config import setting
from diagnostics.producers.producer import Caveat, Dialect, Findings, Log
from diagnostics.producers.trl import total_steps

Recogniser = Callable[[Log], float]


_ESTIMATORS = {"gae": "ppo", "grpo": "grpo", "group_norm": "grpo", "dr_grpo": "grpo", "rloo": "rloo"}


def by_estimator(log: Log, path: str, algorithm: str) -> tuple[str, tuple[str, ...]]:
    """The algorithm that the advantage estimator at a path of the settings makes of it, and what must be said of it.

    An estimator that is neither PPO's, GRPO's nor RLOO's leaves `algorithm`, whose names it shares.
    """
    estimator = setting(log.config, path)
    if not isinstance(estimator, str) or not estimator:
        return algorithm, ()
    name = estimator.rpartition(".")[2].lower()
    if name in _ESTIMATORS:
        return _ESTIMATORS[name], ()
    return algorithm, (f"{path} is {name}: judged as {algorithm.upper()}, whose metrics it logs",)


def with_and_without_critic(
    producer: str,
    tags: Mapping[str, str],
    *,
    reward: str,
    critic: str,
    recognise: Recogniser,
    families: Mapping[str, str] | None = None,
    validations: Sequence[str] = (),
    caveats: tuple[Caveat, ...] = (),
    examine: Callable[[Log, str], Findings] | None = None,
    is_verified: bool = False,
) -> tuple[Dialect, Dialect]:
    """The dialects of one producer for PPO and for GRPO and its kin.

    Args:
        reward: The tag of the task's own reward: `score` in PPO, where the KL penalty comes on top, else `reward`.
        critic: The tag of the value loss, which only PPO logs.
        validations: Patterns, with `{name}` for the data, of the same reward on prompts kept out of training.
    """
    look = examine or (lambda log, algorithm: Findings(algorithm, total=total_steps(log)))

    def made(algorithm: str, metric: str, has_critic: bool) -> Dialect:
        return Dialect(
            name=f"{producer}-{algorithm}",
            producer=producer,
            tags={**tags, reward: metric, critic: "value_loss"},
            recognise=lambda log: recognise(log) if log.has(critic) is has_critic else 0.0,
            examine=lambda log: look(log, algorithm),
            families={**(families or {}), **dict.fromkeys(validations, EVAL_PREFIX + metric)},
            caveats=caveats,
            is_verified=is_verified,
        )

    return made("ppo", "score", has_critic=True), made("grpo", "reward", has_critic=False)
