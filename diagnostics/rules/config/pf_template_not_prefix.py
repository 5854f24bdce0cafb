"""The chat template rewrites what it rendered before, so that a conversation does not grow by appending.

What it checks
    Made-up conversations of four turns, plain, with thoughts and with a tool call, as the chat template renders them
    turn by turn. What it rendered before must be the beginning of what it renders with one turn more, in text and in
    tokens; before a turn of the assistant, with the prompt that asks for it.

Why it matters
    Over several turns the policy is then trained on other tokens than it wrote and read: templates drop thoughts of
    earlier turns, end the last turn in a way of its own, or move instructions. Log-probabilities of rollout and
    training differ, and a rollout that appends tokens reads what the template would never write.

When it is wrong
    Completions of a single turn are rendered once: there it is a note. A trainer may replace templates that it knows,
    as TRL does where tools are given, or pass options on that keep the thoughts. A conversation that the template
    cannot render is not judged.

What to try
    Train with a template that keeps what it rendered: TRL's training templates (`get_training_chat_template`), or an
    option of the template such as `preserve_thinking`.

References
    TRL, chat template utilities (`is_chat_template_prefix_preserving`), pull request 5109 · verl issues 6719, 6854 ·
    NeMo-RL pull request 2822.
"""

from collections.abc import Sequence

from diagnostics.model.messages import Message, Value
from diagnostics.model.outcome import Fix, Severity
from diagnostics.model.setup import Setup
from diagnostics.model.tokenization import Conversation
from diagnostics.rules.config.config_rule import ConfigRule
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english

_UNIT = "conversations rewritten"


class Limits(RuleLimits):
    """How many conversations may be rewritten."""

    rewritten: int = limit(1, _UNIT, "TRL: a template for several turns must preserve prefixes")


class PfTemplateNotPrefix(ConfigRule[Limits]):
    """Looks for the first turn that changes what was rendered before it."""

    code = "PF811"
    name = "pf-template-not-prefix"
    grade = "I"
    source = "TRL, chat template utilities, pull request 5109; verl issues 6719, 6854"
    inputs = ()
    limits = Limits()
    texts = english(
        text="The chat template rewrites earlier turns ({kinds}). {reach} With turn {turn} of the {kind} conversation, "
        "“{earlier}” becomes “{later}”.",
        tokens="Tokens of two turns merge in what the chat template renders ({kinds}). {reach} With turn {turn} of the "
        "{kind} conversation, “{earlier}” becomes “{later}”.",
        one_turn="Completions of one turn are not affected.",
        several_turns="The completions of this training have several turns.",
        why="Use one that only appends turns, so that the policy trains on the tokens that it wrote and read.",
        untried="The chat template was not tried.",
        untried_enable="Try it: rlvitals preflight CONFIG --tokens.",
        none="The tokenizer has no chat template: prompts are plain text.",
        none_enable="To train on conversations, name a model whose tokenizer has one.",
        refused="The chat template renders none of the conversations that were tried ({reason}).",
        refused_enable="Render a prompt of your data with it.",
    )

    def applies(self, setup: Setup) -> bool:
        return setup.is_ours or setup.tokenization is not None

    def check(self, setup: Setup, limits: Limits) -> RuleResult:
        found = setup.tokenization
        if found is None:
            return self.skipped("untried")
        if not found.has_template:
            return self.skipped("none")
        if all(conversation.refused for conversation in found.conversations):
            return self.skipped("refused", reason=found.conversations[0].refused if found.conversations else "")
        rewritten = [conversation for conversation in found.conversations if conversation.changed_by is not None]
        if len(rewritten) >= limits.rewritten:
            return self._rewritten(setup, rewritten, limits)
        return Quiet(float(len(rewritten)), float(limits.rewritten), _UNIT)

    def _rewritten(self, setup: Setup, rewritten: Sequence[Conversation], limits: Limits) -> Fired:
        first = next((item for item in rewritten if not item.is_same_text), rewritten[0])
        has_several_turns = setup.is_on("multi_turn")
        words: dict[str, Value | Message] = {
            "kinds": ", ".join(item.kind for item in rewritten),
            "kind": first.kind,
            "turn": first.changed_by or 0,
            "earlier": first.earlier,
            "later": first.later,
            "reach": self.message("several_turns" if has_several_turns else "one_turn"),
        }
        parameter = setup.parameter("chat_template")
        return Fired(
            Severity.WARNING if has_several_turns else Severity.INFO,
            self.message("tokens" if first.is_same_text else "text", **words),
            measured=float(len(rewritten)),
            limit=float(limits.rewritten),
            unit=_UNIT,
            parameters=(parameter,),
            fixes=(Fix(parameter, None, None, self.message("why"), self.source),),
        )
