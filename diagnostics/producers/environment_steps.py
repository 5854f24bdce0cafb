"""What PPO outside of language models shares: tags that count per step of an environment, which stands for a token."""

from collections.abc import Mapping

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import Caveat, LogTraits, Trainer, recognised_by

STEPS = "Per step of the environment, which here stands for a token."
NEGATED = "Logged as a loss, below 0: its sign is turned here."


def environment_producer(name: str, tags: Mapping[str, str], fingerprint: str, negated: str = "") -> Producer:
    """A producer with one PPO trainer; `negated` is the tag that holds the entropy as a loss, below 0."""
    caveats = (Caveat(tuple(tags), STEPS), *((Caveat((negated,), NEGATED),) if negated else ()))

    def read_traits(log: Log) -> LogTraits:
        return LogTraits("ppo", scales={negated: -1.0} if negated else {})

    return Producer(
        name, (Trainer(name, tags, recognised_by(fingerprint), read_traits, caveats=caveats, is_verified=False),)
    )
