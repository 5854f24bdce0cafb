"""Every producer that is understood, one row each."""

from diagnostics.producers import (
    areal,
    art,
    cleanrl,
    deepspeed_chat,
    ms_swift,
    nemo_rl,
    open_instruct,
    openrlhf,
    ppo_details,
    prime_rl,
    rl4lms,
    rlvitals,
    roll,
    skyrl,
    slime,
    stable_baselines3,
    tinker,
    torchforge,
    torchtune,
    trl,
    trlx,
    unknown,
    unsloth,
    verl,
)
from diagnostics.producers.producer import Producer

PRODUCERS: tuple[Producer, ...] = (
    rlvitals.PRODUCER,
    trl.PRODUCER,
    unsloth.PRODUCER,
    ms_swift.PRODUCER,
    verl.PRODUCER,
    openrlhf.PRODUCER,
    nemo_rl.PRODUCER,
    skyrl.PRODUCER,
    slime.PRODUCER,
    areal.PRODUCER,
    roll.PRODUCER,
    prime_rl.PRODUCER,
    open_instruct.PRODUCER,
    tinker.PRODUCER,
    art.PRODUCER,
    torchforge.PRODUCER,
    torchtune.PRODUCER,
    trlx.PRODUCER,
    ppo_details.PRODUCER,
    deepspeed_chat.PRODUCER,
    stable_baselines3.PRODUCER,
    rl4lms.PRODUCER,
    cleanrl.PRODUCER,
    unknown.PRODUCER,
)
"""If two are equally sure of a log, the first one wins."""

CALL_PREFIXES = tuple(prefix for producer in PRODUCERS for prefix in producer.call_prefixes)
"""Prefixes of tags that some producer logs at every call of a function, not once a step."""

TRAINERS = tuple(trainer for producer in PRODUCERS for trainer in producer.trainers)
OURS = rlvitals.PRODUCER
_BY_NAME = {producer.name: producer for producer in PRODUCERS}


def producer_named(name: str) -> Producer:
    """The producer of this name; the unknown one where nobody is called so."""
    return _BY_NAME.get(name, unknown.PRODUCER)
