"""Whether a command may run the foreign code that its configuration names: trusted, typed, consented to, or refused."""

import sys
from collections.abc import Collection, Iterable

from diagnostics.language import _
from diagnostics.told import reason, said, told
from trainer.config.options import ConfigError
from trainer.launch.arguments import Plan
from trainer.launch.consent import Consent
from trainer.trust.foreign_code import ForeignCode, code_in, code_of_plan
from trainer.trust.store import TrustError, TrustStore


def admit_training(plan: Plan, asks: bool) -> None:
    """Return if all code of a training may run; `admit` tells more.

    What the user named on the command line is trusted by that. What the relaunched run names as well is not: the words
    may repeat it, as those of --apply-fixes do.
    """
    code = code_of_plan(plan)
    typed = [item for item in code if item.options <= plan.typed]
    inherited = {item.sha256 for item in code_in(plan.inherited)} if typed and plan.inherited else set()
    admit(code, plan.source, plan.consent, [item for item in typed if item.sha256 not in inherited], asks)


def admit(
    code: Iterable[ForeignCode],
    source: str,
    consent: Consent,
    named_by_user: Collection[ForeignCode] = (),
    asks: bool = True,
) -> None:
    """Return if all of this code may run, and remember what is trusted from now on.

    Code is trusted that the list of trusted code holds, and what the user named himself, unless consent is withheld.

    Args:
        source: What names the code, for messages: the run or the configuration.
        asks: Whether this process may ask; one of several may not.

    Raises:
        ConfigError: Some of it may not run; the message names it.
    """
    store = TrustStore.of_user()
    untrusted = store.untrusted(code)
    foreign = [item for item in untrusted if consent is Consent.WITHHELD or item not in named_by_user]
    if foreign and consent is not Consent.GIVEN:
        _check_answer(foreign, source, store.problem, asks and consent is Consent.ASK)
    _remember(store, untrusted)


def _check_answer(foreign: Iterable[ForeignCode], source: str, problem: str, asks: bool) -> None:
    named = "; ".join(map(str, foreign))
    broken = told(" ({problem})", problem=problem) if problem else ""
    if not (asks and sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(
            told(
                "{source} names code that would run as you and is not trusted yet: {named}{broken}; read it, "
                "then give --trust to run it and remember its content",
                source=source,
                named=named,
                broken=broken,
            )
        )
    sys.stderr.write(
        said(told("{source} names code that would run as you{broken}:", source=source, broken=broken))
        + "\n"
        + "".join(f"  {item}\n" for item in foreign)
        + _("Run it, and trust this content from now on? [y/N] ")
    )
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ConfigError(told("{source} was not run: its code is not trusted", source=source))


def _remember(store: TrustStore, code: Iterable[ForeignCode]) -> None:
    """Remember what was consented to; where that fails, the consent still holds for this time."""
    try:
        store.remember(code)
    except TrustError as error:
        sys.stderr.write(f"rlvitals: {_('{problem}; this time it runs').format(problem=reason(error))}\n")
