"""Checks of what will be seen: logging, evaluation, checkpoints, the rollout engine, and whether one can stop it."""

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.quirks import Quirk
from diagnostics.model.setup import Setup
from diagnostics.rules.config.check import Check, Concern, Finding, Fine, Limit, Limits, fixed

_TRAINER_FAMILY = frozenset({"ppo", "grpo", "rloo"})
_NEVER = frozenset({"no", "none", "never"})


class ImportanceCorrection(Check):
    """vLLM writes the answers, and nothing corrects for its probabilities being others than the trainer's.

    A server that returns raw log-probabilities leaves out what temperature and cut-offs make of them: the correction
    then compares two different distributions.
    """

    code = "PF801"
    name = "pf-is-correction"
    grade = "D"
    source = "TRL GRPOConfig: vllm_importance_sampling_correction"
    reads = ("use_vllm", "is_correction")
    algorithms = GROUP_FAMILY
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin} with vLLM: the two engines' probabilities differ, and nothing "
            "corrects it.",
            "raw": "{parameter} is {value}: the correction compares log-probabilities before temperature and cut-offs "
            "with those after them.",
            "why": "Importance sampling corrects for what the two engines disagree about.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        correction, mode = setup.known("is_correction"), setup.get("logprobs_mode")
        if setup.is_on("use_vllm") and mode is not None and not str(mode.value).startswith("processed"):
            return self.concern(Severity.WARNING, mode, key="raw", suggested="processed_logprobs")
        if not setup.is_on("use_vllm") or correction.is_on:
            return Fine()
        return self.concern(Severity.WARNING, correction, suggested=True)


class LoggingSteps(Check):
    """Too little is logged: steps are averaged over each other, or no samples are kept.

    Averages hide spikes, and TRL drops NaN before it averages. Without completions no sample can be checked.
    """

    code = "PF902"
    name = "pf-logging-steps"
    grade = "C"
    source = "TRL, grpo_trainer.py: metrics are averaged over logging_steps"
    reads = ()
    quirk = Quirk.STATES_WHAT_IT_LOGS
    algorithms = _TRAINER_FAMILY
    limits = fixed({"steps": Limit(1, "steps", "every step on its own")})
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: spikes are averaged away and NaN is dropped.",
            "samples": "{parameter} is {value}{origin}: no completions are kept, so none can be checked.",
            "unread": "How often metrics are logged is not given.",
            "unread.enable": "Give logging_steps.",
            "why": "Everything that is logged can be looked at later.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        steps = setup.get("logging_steps")
        if Quirk.AVERAGES_LOGGED_STEPS in setup.quirks and steps is None:
            return self.unknown("unread", "unread.enable")
        if steps is not None and (steps.number or 0) > limits["steps"]:
            return self.concern(Severity.WARNING, steps, suggested=1, limit=limits["steps"], unit="steps")
        kept = setup.get("log_completions") or setup.get("num_completions_to_log")
        if kept is not None and not kept.is_on:
            suggested = 64 if kept.parameter == "num_completions_to_log" else True
            return self.concern(Severity.WARNING, kept, key="samples", suggested=suggested)
        return Fine(steps.number if steps else 1.0, limits["steps"], "steps")


class EvaluationMissing(Check):
    """Nothing is kept out of training: that the policy learns the reward and not the task cannot be seen.

    With a learned reward and nothing that holds the policy back, or without a checkpoint to go back to, it is a
    warning. Where a KL penalty bounds the drift or answers are checked for being right, it is a note.
    """

    code = "PF903"
    name = "pf-eval-missing"
    grade = "P"
    source = "Gao et al. 2022 (arXiv 2210.10760)"
    reads = ("eval_strategy",)
    texts = fixed(
        {
            "fired": "{parameter} is {value}{origin}: over-optimisation of the reward cannot be seen on "
            "prompts that are "
            "trained on.",
            "checkpoints": "{parameter} is {value}: there will be no checkpoint from before things go wrong.",
            "why": "What is held out, or kept, shows what the training reward cannot.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        evaluation, saving = setup.known("eval_strategy"), setup.get("save_strategy")
        if saving is not None and _is_never(saving.value):
            return self.concern(Severity.WARNING, saving, key="checkpoints", suggested="steps")
        if not _is_never(evaluation.value):
            return Fine()
        is_loose = setup.learns_from_a_model is True and not setup.kl_weight
        return self.concern(Severity.WARNING if is_loose else Severity.INFO, evaluation, suggested="steps")


class StopUnsupported(Check):
    """TRL's PPO trainer never looks whether a callback wants it to stop.

    A callback that sees trouble can only log it; to end the run, end its process.
    """

    code = "PF904"
    name = "pf-stop-unsupported"
    grade = "C"
    source = "TRL, ppo_trainer.py: control.should_training_stop is never read (FlowMesh issue 37)"
    reads = ()
    quirk = Quirk.IGNORES_STOP_REQUESTS
    algorithms = frozenset({"ppo"})
    texts = fixed(
        {"fired": "TRL's PPO trainer does not stop when a callback asks it to; to end the run, end its process."}
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        return Concern(Severity.INFO, self.say("fired"), ())


class SmallFirst(Check):
    """A large model for a first run: what goes wrong there goes wrong sooner and cheaper on a small one."""

    code = "PF905"
    name = "pf-small-first"
    grade = "S"
    source = "TRL training FAQ: start small"
    reads = ()
    limits = fixed({"largest": Limit(3e9, "parameters", "engineering default; TRL training FAQ: start small")})
    texts = fixed(
        {
            "fired": "The model has {billions} billion parameters: see a small one learn first with these data and "
            "rewards.",
            "unread": "The model's size is not known: its config.json was not found.",
            "unread.enable": "Name the model's folder.",
        }
    )

    def judge(self, setup: Setup, limits: Limits) -> Finding:
        parameters = setup.model.parameters
        if parameters is None:
            return self.unknown("unread", "unread.enable")
        if parameters <= limits["largest"]:
            return Fine(parameters, limits["largest"], "parameters")
        billions = f"{parameters / 1e9:.3g}"
        return Concern(
            Severity.INFO, self.say("fired", billions=billions), (setup.parameter("model"),), parameters,
            limits["largest"], "parameters",
        )  # fmt: skip


def _is_never(strategy: object) -> bool:
    """Whether a strategy is `no`, also as the text of transformers' enumeration, `IntervalStrategy.NO`."""
    return str(strategy).rpartition(".")[2].lower() in _NEVER
