"""Prompts begin with two BOS tokens: their text begins with one, and the tokenizer adds another.

What it checks
    How many BOS tokens the first prompts of the training begin with, as the trainer tokenises them: plain text with the
    special tokens of the tokenizer, messages with those of the chat template alone. Only tokens count, no text that
    looks like one.

Why it matters
    A model is trained with one BOS. With two, every prompt is unlike anything it has seen, in training and not in use,
    and nothing in the curves shows it.

When it is wrong
    A model that was trained with two, which a model card would say.

What to try
    Give prompts as messages, or take the BOS out of prompts that were rendered before. A template that writes it twice
    is to be mended.

References
    NeMo-RL pull request 835 (stops at two BOS) and issue 855 · vLLM issue 16853 · transformers, chat templates: render
    without further special tokens.
"""

from diagnostics.model.outcome import Fix, Severity
from diagnostics.model.setup import Setup
from diagnostics.model.tokenization import PromptTokens, Tokenization
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english

_UNIT = "BOS tokens at the start"


class Limits(RuleLimits):
    """How many are too many."""

    doubled: int = limit(2, _UNIT, "NeMo-RL pull request 835")


class PfDoubleBos(ConfigRule[Limits]):
    """Counts the BOS tokens at the start of prompts."""

    code = "PF810"
    name = "pf-double-bos"
    grade = "I"
    source = "NeMo-RL issue 855, pull request 835; vLLM issue 16853"
    inputs = ()
    limits = Limits()
    texts = english(
        added="{doubled} of {prompts} prompts begin with {measured} BOS tokens: their text begins with {bos}, and the "
        "tokenizer adds another.",
        written="{doubled} of {prompts} prompts begin with {measured} BOS tokens: their text begins with {bos} that "
        "often.",
        rendered="{doubled} of {prompts} prompts begin with {measured} BOS tokens: rendered by the chat template, they "
        "begin with {bos} that often.",
        template="The chat template writes {bos} {measured} times at the start of a prompt.",
        texts_why="Take it out of the prompts' text, or give messages, which the chat template renders.",
        template_why="Write it once.",
        untried="The tokenizer was not tried.",
        untried_enable="Try it: rlvitals preflight CONFIG --tokens.",
        unknown="The chat template writes {bos}, and the tokenizer adds one to plain text: a program that renders "
        "prompts and then tokenises them like plain text gets two, and whether this one does is not known.",
        unknown_enable="Look at the first token ids of a prompt in its log.",
    )

    def applies(self, setup: Setup) -> bool:
        return setup.is_ours or setup.tokenization is not None

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        found = setup.tokenization
        if found is None:
            return self.skipped("untried")
        if not found.prompts:
            return self._judge_template(setup, found, limits)
        doubled = [prompt for prompt in found.prompts if prompt.leading_bos >= limits.doubled]
        if doubled:
            return self._judge_prompts(setup, found, doubled, limits)
        return Quiet(float(max(prompt.leading_bos for prompt in found.prompts)), float(limits.doubled), _UNIT)

    def _judge_template(self, setup: Setup, found: Tokenization, limits: Limits) -> RuleResult:
        """What the template alone says, where another program makes the prompts."""
        if found.template_bos >= limits.doubled:
            return self._fired(setup, "template", found, found.template_bos, limits)
        if found.retokenized_bos >= limits.doubled:
            return self.skipped("unknown", bos=found.bos or "")
        return Quiet(float(found.template_bos), float(limits.doubled), _UNIT)

    def _judge_prompts(
        self, setup: Setup, found: Tokenization, doubled: list[PromptTokens], limits: Limits
    ) -> RuleResult:
        worst = max(doubled, key=lambda prompt: prompt.leading_bos)
        key = "rendered" if worst.is_rendered else "added" if found.adds_bos else "written"
        values = {"doubled": len(doubled), "prompts": len(found.prompts)}
        return self._fired(setup, key, found, worst.leading_bos, limits, **values)

    def _fired(
        self, setup: Setup, key: str, found: Tokenization, measured: int, limits: Limits, **values: int
    ) -> Fired:
        is_template = key in ("rendered", "template")
        parameter = setup.parameter("chat_template" if is_template else "dataset")
        why = self.message("template_why" if is_template else "texts_why")
        return Fired(
            Severity.WARNING,
            self.message(key, bos=found.bos or "", measured=measured, **values),
            measured=float(measured),
            limit=float(limits.doubled),
            unit=_UNIT,
            parameters=(parameter,),
            fixes=(Fix(parameter, None, None, why, self.source),),
        )
