"""The catalogue of causes: every cause, in the order in which they are listed."""

from collections.abc import Mapping

from diagnostics.causes.catalog.completions import ANSWERS
from diagnostics.causes.catalog.kl import KL
from diagnostics.causes.catalog.machinery import MACHINERY
from diagnostics.causes.catalog.rewards import REWARDS
from diagnostics.causes.catalog.updates import UPDATES
from diagnostics.causes.cause import CauseEntry

CATALOG: tuple[CauseEntry, ...] = (*UPDATES, *KL, *REWARDS, *ANSWERS, *MACHINERY)

FORMER_NAMES: Mapping[str, str] = {
    "kl-leash-too-tight": "kl-penalty-too-strong",
    "kl-leash-too-loose": "kl-penalty-too-weak",
}
"""Names that causes had in earlier reports, each with the present one."""

TEXTS: Mapping[str, str] = {
    **{entry.template: entry.summary for entry in CATALOG},
    **{entry.template_of(form): form.summary for entry in CATALOG for form in entry.variants},
    **{f"{entry.template}.or.{rival}": decides for entry in CATALOG for rival, decides in entry.rivals.items()},
}
