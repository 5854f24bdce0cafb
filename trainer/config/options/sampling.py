"""Options of sampling."""

from dataclasses import dataclass

from trainer.config.options import Section, options_under

option = options_under(Section.SAMPLING)


@dataclass(frozen=True, kw_only=True)
class SamplingOptions:
    """How tokens are sampled and where a completion ends. Defaults are the safe ones of TRL's FAQ."""

    temperature: float = option(1.0, "Temperature of the policy: of sampling and of every log-probability.", above=0)
    top_k: int = option(
        0, "Sample from the k likeliest tokens only; 0: from all. Anything else can make KL negative.", minimum=0
    )
    top_p: float = option(
        1.0, "Sample from the likeliest tokens that make up this probability; 1: from all.", above=0, maximum=1
    )
    min_p: float = option(
        0.0, "Drop tokens below this share of the likeliest one's probability; 0: none.", minimum=0, maximum=1
    )
    do_sample: bool = option(True, "Sample; false takes the likeliest token, which explores nothing.")
    min_new_tokens: int = option(
        0, "Forbid the end of a completion before this many tokens. Above 0 can make KL negative.", minimum=0
    )
    repetition_penalty: float = option(1.0, "Divide the scores of tokens already seen; 1: off.", above=0)
    rollout_temperature: float | None = option(
        None,
        "Sample at this temperature while log-probabilities keep `temperature`: a fault to study; empty: the same.",
        above=0,
    )
    stop_token_id: int | None = option(
        None, "End a completion at this token id; empty: at the end tokens that the model declares.", minimum=0
    )
    decode: str = option(
        "auto",
        "How completions are generated: auto is a faster way for Llama-like models, equal up to rounding; "
        "generic always uses the model itself.",
        choices=("auto", "generic"),
    )
