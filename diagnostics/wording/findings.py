"""Parts of a diagnosis in words: fixes, samples, rival causes, and why rules could not run."""

from collections.abc import Iterable, Sequence

from diagnostics.catalogue.lookup import track_record_sentence
from diagnostics.causes import CATALOG as CAUSES
from diagnostics.language import _
from diagnostics.model.cause import Rival
from diagnostics.model.diagnosis import Diagnosis, Muted
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_setting
from diagnostics.model.outcome import Fix, Outcome, Severity, ShownSample
from diagnostics.model.project import Mute
from diagnostics.punctuation import bracketed, clauses, labelled, listed, sentences
from diagnostics.rules import CATALOG
from diagnostics.wording.messages import message_text, reason_and_remedy
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.steps import steps_of

_DEFAULT_LIMITS = {rule.name: {item.name: item.value for item in rule.limit_docs} for rule in CATALOG}
_CAUSE_SUMMARIES = {entry.name: entry.summary for entry in CAUSES}
_CAPITALS = {word.lower(): word for word in ("KL", "EOS", "BOS", "GRPO", "PPO", "NaN", "GPU")}
_MOST_RULES = 12  # named behind one reason


def rules_by_reason(not_applicable: Iterable[Outcome]) -> dict[str, tuple[str, ...]]:
    """Why rules do not apply to a run: each reason with the names of its rules."""
    found: dict[str, tuple[str, ...]] = {}
    for outcome in not_applicable:
        reason = message_text(outcome.message)
        found[reason] = (*found.get(reason, ()), outcome.rule)
    return found


def skip_reasons(blind_spots: Iterable[Outcome]) -> tuple[str, ...]:
    """Why rules could not run and what would let them: too few points first, then each reason once with its rules."""
    needed: list[str] = []
    found: dict[str, list[str]] = {}
    for outcome in blind_spots:
        if outcome.message.template == "engine.too-few":
            needed.append(f"{outcome.rule} {outcome.message.values['needed']}")
        else:
            found.setdefault(reason_and_remedy(outcome), []).append(outcome.rule)
    others = [sentences((reason, f"[{_first_names(rules)}]")) for reason, rules in found.items()]
    too_few = _("Too few logged points so far; needed: {needed}.").format(needed=listed(needed))
    return (*([too_few] if needed else []), *others)


def _first_names(rules: Sequence[str]) -> str:
    more = len(rules) - _MOST_RULES
    if more <= 0:
        return listed(rules)
    return _("{names} and {count} more").format(names=listed(rules[:_MOST_RULES]), count=more)


def overridden_limits(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The limits that judged this run and differ from the defaults: "kl-too-high.warning = 5 (default 10)"."""
    judging = {outcome.rule for outcome in (*diagnosis.outcomes, *diagnosis.preflight)}
    return tuple(
        _("{limit} = {value} (default {default})").format(
            limit=f"{name}.{field}", value=format_setting(value), default=format_setting(default)
        )
        for name, given in diagnosis.limits.items()
        if name in judging
        for field, value in given.items()
        if value != (default := _DEFAULT_LIMITS[name][field])
    )


def fix_line(fix: Fix) -> str:
    """A fix in a line: "learning_rate 0.005 → 0.0005: smaller updates"; unknown values are left out."""
    if not fix.parameter:
        return message_text(fix.why)
    if fix.suggested is None:
        change = fix.parameter
    elif fix.current is None:
        change = f"{fix.parameter} = {format_setting(fix.suggested)}"
    else:
        change = f"{fix.parameter} {format_setting(fix.current)} → {format_setting(fix.suggested)}"
    return labelled(change, message_text(fix.why))


def mute_line(muted: Muted) -> str:
    """A muted finding with the reason: "The KL is negative. (critical, steps 3–40): meant so, until 2027-01-31 […]"."""
    finding = muted.finding
    when = listed((verdict_word(finding.severity), steps_of(finding)))
    told = sentences((message_text(finding.summary), bracketed(when)))
    return sentences((labelled(told, mute_reason(muted.mute)), f"[{finding.name}]"))


def mute_reason(mute: Mute) -> str:
    """Why a finding is muted, and until when: "meant so, until 2027-01-31"."""
    reason = mute.reason.rstrip(".")
    if mute.until is None:
        return reason
    return _("{reason}, until {date}").format(reason=reason, date=mute.until.isoformat())


def sample_caption(sample: ShownSample) -> str:
    """Which sample it is, counted from 1, and why it is shown: "step 12, sample 4: Cut off at the length limit."."""
    return _("step {step}, sample {sample}: {why}").format(
        step=sample.step, sample=sample.row + 1, why=message_text(sample.why)
    )


def sample_line(sample: ShownSample) -> str:
    """The caption and the response: "step 12, sample 4: Cut off at the length limit. “was horri”"."""
    return sentences((sample_caption(sample), f"“{sample.quote}”"))


def record_sentence(finding: Finding) -> str:
    """How often its cause was right where a warning named it first; empty for a note, and where it never was."""
    return "" if finding.severity is Severity.INFO else track_record_sentence(finding.name)


def rival_line(rival: Rival) -> str:
    """Another cause, what would decide, and its id: "The numbers broke down: … A NaN … [numerical-breakdown]"."""
    return sentences((rival_sentence(rival), f"[{rival.cause}]"))


def rival_sentence(rival: Rival) -> str:
    """Another cause and what would decide: "The numbers broke down: … A NaN in any metric …"."""
    return sentences((_(_CAUSE_SUMMARIES[rival.cause]), message_text(rival.decides)))


def rival_names(finding: Finding) -> str:
    """The causes that it may have besides, by name: "Not decided: mode collapse; reward hacking. Less likely: …"."""
    open_names = [in_words(rival.cause) for rival in finding.open_rivals]
    others = [in_words(rival.cause) for rival in finding.rivals if not rival.is_open]
    undecided = [in_words(finding.name), *open_names] if open_names else []
    said = ((_("Not decided: {causes}."), undecided), (_("Less likely: {causes}."), others))
    return sentences(sentence.format(causes=clauses(names)) for sentence, names in said if names)


def in_words(name: str) -> str:
    """The id of a rule or a cause as words: "mode collapse"."""
    words = name.removeprefix("smp-").removeprefix("pf-").split("-")
    readable = " ".join(_CAPITALS.get(word, word) for word in words)
    return _(readable)


def begun_large(words: str) -> str:
    """The words with a large first letter, as a heading begins; "KL negative" keeps its other capitals."""
    return words[:1].upper() + words[1:]
