"""Alibaba's ROLL: its pipelines for verifiable rewards and for agents."""

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.roll.parts import FAMILIES, of_only_domain
from diagnostics.producers.roll.tags import ENDS, HALVES, REWARD, TAGS
from diagnostics.producers.trainer import Caveat, LogTraits, recognised_by
from diagnostics.producers.trl.trainer_rows import total_steps
from diagnostics.producers.with_and_without_critic import with_and_without_critic

CAVEATS = (
    Caveat(("actor/policykl",), "A k1 estimate: small values below 0 are noise."),
    Caveat(("time/step_total",), "Of the step before, as it ends after the row is written."),
    Caveat(("actor/train_infer_ratio_token_mean",), "Before it is cut to the cap."),
    Caveat(
        ("time/ref_log_probs_values", "time/old_log_probs"), "With the value model's predictions, where there is one."
    ),
    Caveat(
        tuple(f"critic/rewards/{end}" for end in ENDS),
        "Of rewards as they are trained on: with GRPO after they were normalised within their group.",
    ),
    Caveat(
        tuple(f"token/{word}_response_length/{end}" for word in HALVES for end in ENDS), "Without those at the limit."
    ),
    Caveat(
        tuple(f"token/{which}_response_length/clip" for which in ("total", *HALVES)),
        "Completions as wide as the batch, whatever ended them.",
    ),
    Caveat(tuple(f"critic/{what}_clip_frac" for what in ("token_reward", "advantage")), "Padding is counted too."),
    Caveat(("actor/samples_used",), "Before the correction between engines leaves some out."),
    Caveat(
        tuple(f"system/time/{timer}_mean" for timer in ("tps", "actor_infer", "actor_infer_response", "actor_train")),
        "Over five steps.",
    ),
)


def read_traits(log: Log, algorithm: str) -> LogTraits:
    """Where the data is one domain, what is logged by domain alone is that of the batch."""
    return LogTraits(algorithm, total=total_steps(log), renamed=of_only_domain(log))


TRAINERS = with_and_without_critic(
    "roll",
    TAGS,
    reward=REWARD,
    critic="critic/loss",
    recognise=recognised_by((REWARD, "actor/approxkl"), (REWARD, "system/tps_gpu")),
    families=FAMILIES,
    caveats=CAVEATS,
    read_traits=read_traits,
)
PRODUCER = Producer("roll", TRAINERS)
