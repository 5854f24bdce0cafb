"""Checks of where answers end, how many there are of each prompt, and how batches divide."""

import math

from diagnostics.model.algorithms import GROUP_FAMILY, PPO_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.settings import Setting
from diagnostics.model.setup import Probe, Setup
from diagnostics.rules.config.check import Check, Concern, Finding, Fine, Limit, Limits, fixed

_REASONING = (
    "gsm8k", "math", "aime", "numina", "olympiad", "deepscaler", "openr1", "open-r1", "open_r1", "reason", "countdown",
    "dapo", "skywork", "cot",
)  # fmt: skip
_RATES = (0.1, 0.5, 0.9)


class EosTrick(Check):
    """Nothing teaches the policy to end its answers: the EOS trick is off.

    Without a stop token everything behind the first end token is scored as well; without a penalty an answer that never
    ends costs nothing.
    """

    code = "PF602"
    name = "pf-eos-trick"
    grade = "S"
    source = "TRL PPO page: the EOS trick"
    reads = ("missing_eos_penalty",)
    algorithms = frozenset({"ppo"})
    texts = fixed(
        {
            "fired": "{parameter} is not set: an answer that never ends costs nothing.",
            "stop": "{parameter} is not set: what follows the first end token is scored as well.",
            "why": "A penalty on answers without an end token teaches the policy to end them.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        penalty, stops = setup.known("missing_eos_penalty"), (setup.get("stop_token"), setup.get("stop_token_id"))
        known = [item for item in stops if item is not None]
        if known and all(item.value is None or item.value == "none" for item in known):
            return self.concern(Severity.INFO, known[0], key="stop", suggested="eos")
        if penalty.value is None and not setup.is_on("non_eos_penalty"):
            return self.concern(Severity.INFO, penalty, suggested=1.0)
        return Fine(penalty.number)


class StopToken(Check):
    """Generation waits for a token that is not the model's end, so that its answers run on past their end.

    Behind the end a model writes what it never learned to write, up to the length limit, and is scored for it.
    """

    code = "PF605"
    name = "pf-stop-token"
    grade = "C"
    source = "TRL, ppo_trainer.py: stop_token_id takes the place of the model's eos_token_id"
    reads = ("stop_token_id",)
    texts = fixed(
        {
            "fired": "{parameter} is {value}, and the model ends its answers with {ends}: they run on to the limit.",
            "why": "The model's own end token ends its answers.",
            "unread": "The model's end token is not known: its config.json was not found, or names none.",
            "unread.enable": "Name the model's folder.",
        }
    )

    def applies(self, setup: Setup) -> bool:
        """Only where a token is named: else the model's own end counts."""
        return super().applies(setup) and setup.number("stop_token_id") is not None

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting, ends = setup.known("stop_token_id"), setup.model.eos_token_ids
        if not ends:
            return self.unknown("unread", "unread.enable")
        if setting.number in ends:
            return Fine(setting.number)
        return self.concern(Severity.WARNING, setting, suggested=ends[0], ends=" or ".join(map(str, ends)))


class PadIsEos(Check):
    """Padding and the end of an answer are the same token, so that true ends may be masked as padding.

    Then the policy is never rewarded for ending, and its answers grow.
    """

    code = "PF603"
    name = "pf-pad-eos"
    grade = "P"
    source = "The N+ Implementation Details of RLHF with PPO (arXiv 2403.17031)"
    reads = ()
    algorithms = PPO_FAMILY
    texts = fixed(
        {
            "fired": "The model's pad_token_id and eos_token_id are both {token}: the end of an answer may be "
            "masked as "
            "padding.",
            "unread": "The model's padding and end tokens are not known: its config.json was not found, or names none.",
            "unread.enable": "Name the model's folder.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        pad, ends = setup.model.pad_token_id, setup.model.eos_token_ids
        if pad is None or not ends:
            return self.unknown("unread", "unread.enable")
        if pad not in ends:
            return Fine()
        return Concern(Severity.WARNING, self.say("fired", token=pad), (setup.parameter("model"),), measured=float(pad))


class CompletionLength(Check):
    """Answers that need room to reason get little: most will be cut off.

    At 256 tokens, TRL's default before 1.10, 57 to 80 % of the answers to GSM8K were cut off. Whether the data needs
    reasoning is taken from its name. Where the untrained policy was probed, the length that 95 % of its 32 answers stay
    below counts, whatever the data is called: training mostly makes answers longer, and what is cut off earns nothing.
    Where a run of these settings has seen fewer answers cut off than `truncation-high` bears, there is nothing to say.
    """

    code = "PF604"
    name = "pf-completion-length"
    grade = "I"
    source = "TRL issues 5697, 6263: 57 to 80 % cut off at 256 tokens on GSM8K"
    reads = ("max_tokens",)
    limits = fixed(
        {
            "shortest": Limit(256, "tokens", "TRL issues 5697, 6263"),
            "seen": Limit(0.3, "of a run's answers", "truncation-high"),
            "fits": Limit(0.95, "of the untrained policy's answers", "engineering default"),
        }
    )
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin} on {dataset}: at {limit} tokens more than half of such "
            "answers are "
            "cut off.",
            "probed": "{parameter} is {value}{origin}: {cut} of {count} answers of the untrained policy are longer "
            "(95 % have up to {needed} tokens).",
            "endless": "{parameter} is {value}{origin}: {cut} of {count} answers of the untrained policy are longer, "
            "and {endless} do not end within {room} tokens: room alone will not end them.",
            "unread": "Neither the data's name nor a probe of the untrained policy tells how much room answers need.",
            "unread.enable": "Probe the policy: rlvitals preflight CONFIG --probe, or “Try the settings” on the Launch "
            "page.",
            "why": "Answers that fit are scored for what they say and can end by themselves.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("max_tokens")
        if setup.probe is not None and setting.number is not None:
            return self._probed(setting, setup.probe, limits)
        if setup.cut_off is not None and setup.cut_off < limits["seen"]:
            return Fine(setup.cut_off, limits["seen"], "fraction")
        named = setup.get("dataset")
        if named is None:
            return self.unknown("unread", "unread.enable")
        data = str(named.value)
        needs_room = any(mark in data.lower() for mark in _REASONING)
        if setting.number is None or setting.number > limits["shortest"] or not needs_room:
            return Fine(setting.number, limits["shortest"], "tokens")
        return self.concern(
            Severity.WARNING, setting, suggested=1024, limit=limits["shortest"], unit="tokens", dataset=data
        )

    def _probed(self, setting: Setting, probe: Probe, limits: Limits) -> Finding:
        """What the lengths of the untrained policy's answers say of the limit."""
        needed = sorted(probe.lengths)[math.ceil(limits["fits"] * len(probe.lengths)) - 1]
        if needed <= (allowed := setting.number or 0.0):
            return Fine(allowed, float(needed), "tokens")
        endless = sum(length >= probe.room for length in probe.lengths)
        return self.concern(
            Severity.WARNING,
            setting,
            key="endless" if needed >= probe.room else "probed",
            suggested=None if needed >= probe.room else _rounded_up(needed),
            limit=float(needed),
            unit="tokens",
            needed=needed,
            cut=sum(length > allowed for length in probe.lengths),
            count=len(probe.lengths),
            endless=endless,
            room=probe.room,
        )


def _rounded_up(tokens: int) -> int:
    """The next number of two significant digits."""
    step = int(10 ** max(0, len(str(tokens)) - 2))
    return -(-tokens // step) * step


class GroupSize(Check):
    """Few answers to each prompt: often all are right or all wrong, and such a group teaches nothing.

    Of G answers that are each right with probability p, all are alike with p^G + (1 − p)^G. Groups of two have been
    trained with success, so this is no error.
    """

    code = "PF503"
    name = "pf-group-size"
    grade = "C"
    source = "p^G + (1 − p)^G; TRL GRPOConfig: num_generations 8"
    reads = ("num_generations",)
    algorithms = GROUP_FAMILY
    limits = fixed({"least": Limit(4, "answers", "engineering default")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: where {rates} % of answers are right, {dead} % of the "
            "groups teach "
            "nothing.",
            "why": "Of eight answers all are alike far less often.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        setting = setup.known("num_generations")
        if setting.number is None or setting.number >= limits["least"]:
            return Fine(setting.number, limits["least"], "answers")
        dead = [100 * (rate**setting.number + (1 - rate) ** setting.number) for rate in _RATES]
        return self.concern(
            Severity.INFO,
            setting,
            suggested=8,
            limit=limits["least"],
            unit="answers",
            rates=" / ".join(f"{100 * rate:g}" for rate in _RATES),
            dead=" / ".join(f"{share:.0f}" for share in dead),
        )


class Divisible(Check):
    """The batch does not divide into groups, or there are no groups: the trainer will refuse or group wrongly.

    TRL raises at the start. auto_find_batch_size changes the batch behind its back.
    """

    code = "PF901"
    name = "pf-divisible"
    grade = "C"
    source = "TRL GRPOConfig: generation_batch_size must be divisible by num_generations"
    reads = ("num_generations",)
    algorithms = GROUP_FAMILY
    limits = fixed({"least": Limit(2, "answers", "TRL GRPOConfig: at least 2 generations for an advantage")})
    texts = fixed(
        {
            "fired": "{batch} answers at a time do not divide into groups of {parameter} = {value}.",
            "alone": "{batch} answers at a time on one process do not divide into groups of {parameter} = {value}; the "
            "number of "
            "processes is not known.",
            "single": "{parameter} is {value}: a group of one has nothing to be compared with.",
            "auto": "{parameter} is {value}: it changes the batch until it fits into memory, and groups no "
            "longer divide "
            "it.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        groups, auto = setup.known("num_generations"), setup.get("auto_find_batch_size")
        size = groups.number or 0.0
        if size < limits["least"]:
            return self.concern(Severity.CRITICAL, groups, key="single", limit=limits["least"], unit="answers")
        if auto is not None and auto.is_on:
            return self.concern(Severity.CRITICAL, auto, key="auto", suggested=False)
        batch, is_whole = _generated_at_once(setup)
        if batch is None or batch % size == 0:
            return Fine(size)
        severity = Severity.CRITICAL if is_whole else Severity.WARNING
        return self._odd(groups, severity, batch, "fired" if is_whole else "alone")

    def _odd(self, groups: Setting, severity: Severity, batch: float, key: str) -> Finding:
        return self.concern(severity, groups, key=key, batch=f"{batch:g}")


def _generated_at_once(setup: Setup) -> tuple[float | None, bool]:
    """Answers of one generation, and whether all processes are in it; None where it is not known."""
    if whole := setup.number("generation_batch_size"):
        return whole, True
    device = setup.number("per_device_train_batch_size")
    steps = setup.number("steps_per_generation") or setup.number("gradient_accumulation_steps") or 1.0
    processes = setup.number("num_processes")
    return (device * steps * (processes or 1.0) if device else None), processes is not None
