"""Producers that train with and without a critic: one table of names, and the critic's metrics tell the two apart."""

from collections.abc import Callable, Mapping, Sequence

from diagnostics.model.vocabulary import EVAL_PREFIX
from diagnostics.producers.log import Log
from diagnostics.producers.trainer import Caveat, LogTraits, Trainer
from diagnostics.producers.trl.trainer_rows import total_steps

Recogniser = Callable[[Log], float]


def with_and_without_critic(
    name: str,
    tags: Mapping[str, str],
    *,
    reward: str,
    critic: str,
    recognise: Recogniser,
    families: Mapping[str, str] | None = None,
    validations: Sequence[str] = (),
    caveats: tuple[Caveat, ...] = (),
    read_traits: Callable[[Log, str], LogTraits] | None = None,
    is_verified: bool = False,
) -> tuple[Trainer, Trainer]:
    """The trainers of one producer for PPO and for GRPO and its relatives.

    Args:
        reward: The tag of the task's own reward: `score` in PPO, which adds the KL penalty, else `reward`.
        critic: The tag of the value loss, which only PPO logs.
        validations: Patterns, with `{name}` for the dataset, of the same reward on held-out prompts.
    """
    traits_of = read_traits or (lambda log, algorithm: LogTraits(algorithm, total=total_steps(log)))

    def make_trainer(algorithm: str, metric: str, has_critic: bool) -> Trainer:
        return Trainer(
            name=f"{name}-{algorithm}",
            tags={**tags, reward: metric, critic: "value_loss"},
            recognise=lambda log: recognise(log) if log.has(critic) is has_critic else 0.0,
            read_traits=lambda log: traits_of(log, algorithm),
            families={**(families or {}), **dict.fromkeys(validations, EVAL_PREFIX + metric)},
            caveats=caveats,
            is_verified=is_verified,
        )

    return make_trainer("ppo", "score", has_critic=True), make_trainer("grpo", "reward", has_critic=False)
