"""Checks of number formats, gradients, the optimizer and memory."""

from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.settings import Setting
from diagnostics.model.setup import Setup
from diagnostics.rules.config.check import Check, Finding, Fine, Limit, Limits, fixed

_HALF = frozenset({"fp16", "float16"})
_BRAIN = frozenset({"bf16", "bfloat16"})


class HalfPrecision(Check):
    """Half precision: float16 overflows without a loss scaler, and bfloat16 rounds differently in training and rollout.

    float16 holds at most 65,504 and needs a loss scaler; Adam's epsilon of 1e-8 is 0 in it. bfloat16 has few digits, so
    that a rollout engine and the trainer disagree about log-probabilities.
    """

    code = "PF101"
    name = "pf-fp16"
    grade = "P"
    source = "Defeating the training-inference mismatch via FP16 (arXiv 2510.26788)"
    reads = ()
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: float16 overflows at 65,504 and needs a loss scaler.",
            "engine": "{parameter} is {value}{origin} with vLLM: bfloat16 rounds differently in the two "
            "engines; look at "
            "what "
            "they disagree by.",
        }
    )

    def applies(self, setup: Setup) -> bool:
        return True

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        half = _is_kind(setup, "fp16", _HALF)
        if half is not None:
            return self.concern(Severity.INFO, half)
        brain = _is_kind(setup, "bf16", _BRAIN)
        if brain is not None and setup.is_on("use_vllm"):
            return self.concern(Severity.INFO, brain, key="engine")
        return Fine()


class GradientClip(Check):
    """Gradients are not clipped: one bad batch can move the policy as far as it likes."""

    code = "PF102"
    name = "pf-grad-clip"
    grade = "D"
    source = "verl documentation: commonly 1; transformers TrainingArguments: max_grad_norm 1.0"
    reads = ("max_grad_norm",)
    limits = fixed({"highest": Limit(10.0, "norm", "verl: commonly 1; ten times as much hardly ever clips")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: one bad batch can move the policy as far as it likes.",
            "why": "Clipping the gradient bounds what one batch can do.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("max_grad_norm")
        if setting.number is not None and 0 < setting.number < limits["highest"]:
            return Fine(setting.number, limits["highest"], "norm")
        return self.concern(Severity.WARNING, setting, suggested=1.0, limit=limits["highest"], unit="norm")


class NanFilter(Check):
    """A NaN loss is replaced by the mean of the losses before it, so that the log hides it.

    transformers does that by default. In a monitored run the NaN is the evidence.
    """

    code = "PF103"
    name = "pf-nan-filter"
    grade = "C"
    source = "transformers TrainingArguments: logging_nan_inf_filter"
    reads = ("logging_nan_inf_filter",)
    quirk = Quirk.REPLACES_NAN_LOSS
    algorithms = frozenset({"ppo", "grpo", "rloo"})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: a NaN loss is logged as the mean of the losses before it.",
            "why": "Without the filter a NaN loss is logged as NaN.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("logging_nan_inf_filter")
        return self.concern(Severity.WARNING, setting, suggested=False) if setting.is_on else Fine()


class AdamEpsilon(Check):
    """PyTorch's Adam with its default epsilon takes larger first steps than that of published PPO results.

    OpenAI's RLHF used TensorFlow's Adam and an epsilon of 1e-5; it matters for a reproduction and early in training.
    """

    code = "PF104"
    name = "pf-adam-eps"
    grade = "P"
    source = "The N Implementation Details of RLHF with PPO"
    reads = ("adam_epsilon",)
    algorithms = PPO_FAMILY
    limits = fixed({"published": Limit(1e-5, "", "The N Implementation Details of RLHF with PPO")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}; published PPO results used {limit}, with gentler first updates.",
            "why": "The published value, for a reproduction; a warm-up softens the first updates as well.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("adam_epsilon")
        if setting.number is None or setting.number >= limits["published"]:
            return Fine(setting.number, limits["published"])
        return self.concern(Severity.INFO, setting, suggested=limits["published"], limit=limits["published"])


class Memory(Check):
    """What weights, gradients and optimizer take is more than one accelerator has.

    Counted are 16 bytes for each trained parameter (weight, gradient and Adam's two moments in float32) and 2 for a
    frozen one; activations come on top. PPO trains a value model beside the policy and asks a reward model, and a KL
    penalty needs a reference. An adapter trains next to nothing, so only frozen weights count.
    """

    code = "PF105"
    name = "pf-memory"
    grade = "S"
    source = "TRL PPO page, memory tips"
    reads = ("per_device_train_batch_size",)
    limits = fixed(
        {
            "trained": Limit(16.0, "bytes", "ZeRO (arXiv 1910.02054): weight, gradient, two moments"),
            "frozen": Limit(2.0, "bytes", "half precision"),
        }
    )
    texts = fixed(
        {
            "fired": "Weights, gradients and optimizer take about {needed} GiB, and one accelerator has {device}.",
            "unread": "How much memory is needed is not known: {missing}.",
            "unread.enable": "Name the model's folder and give --device-memory GIB.",
            "why": "Smaller passes and more of them need less memory for the same batch; ZeRO stage 3 shares "
            "the weights.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        parameters, device = setup.model.parameters, setup.device_gib
        if parameters is None or device is None:
            missing = "the model's size" if parameters is None else "the accelerator's memory"
            return self.unknown("unread", "unread.enable", missing=missing)
        has_critic, has_reference = setup.algorithm in PPO_FAMILY, bool(setup.kl_weight)
        trained = 0 if setup.trains_an_adapter else 1 + has_critic
        frozen = int(has_reference and not setup.trains_an_adapter) + has_critic + setup.trains_an_adapter
        needed = parameters * (trained * limits["trained"] + frozen * limits["frozen"]) / 2**30
        if needed <= device:
            return Fine(needed, device, "GiB")
        setting = setup.known("per_device_train_batch_size")
        return self.concern(
            Severity.WARNING, setting, suggested=1, measured=needed, limit=device, unit="GiB", needed=f"{needed:.3g}",
            device=f"{device:g}",
        )  # fmt: skip


def _is_kind(setup: Setup, switch: str, kinds: frozenset[str]) -> Setting | None:
    """The setting that chooses one of these number formats, by a switch of its own or by name."""
    found = setup.get(switch)
    if found is not None and found.is_on:
        return found
    named = (setup.get("precision"), setup.get("weights"))
    return next((item for item in named if item and str(item.value).removeprefix("torch.") in kinds), None)
