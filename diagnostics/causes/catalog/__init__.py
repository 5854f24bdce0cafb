"""The catalogue of causes: every cause, in the order in which they are listed."""

from collections.abc import Mapping

from diagnostics.causes.catalog.completions import COMPLETION_CAUSES
from diagnostics.causes.catalog.diversity import DIVERSITY_CAUSES
from diagnostics.causes.catalog.engine import ENGINE_CAUSES
from diagnostics.causes.catalog.infrastructure import INFRASTRUCTURE_CAUSES
from diagnostics.causes.catalog.kl import KL_CAUSES
from diagnostics.causes.catalog.reward_hacking import REWARD_HACKING_CAUSES
from diagnostics.causes.catalog.rewards import REWARD_CAUSES
from diagnostics.causes.catalog.speed import SPEED_CAUSES
from diagnostics.causes.catalog.updates import UPDATE_CAUSES
from diagnostics.causes.entry import CauseEntry

CATALOG: tuple[CauseEntry, ...] = (
    *UPDATE_CAUSES,
    *KL_CAUSES,
    *REWARD_CAUSES,
    *REWARD_HACKING_CAUSES,
    *COMPLETION_CAUSES,
    *DIVERSITY_CAUSES,
    *ENGINE_CAUSES,
    *INFRASTRUCTURE_CAUSES,
    *SPEED_CAUSES,
)

ENTRIES: Mapping[str, CauseEntry] = {entry.name: entry for entry in CATALOG}

FORMER_NAMES: Mapping[str, str] = {
    "kl-leash-too-tight": "kl-penalty-too-strong",
    "kl-leash-too-loose": "kl-penalty-too-weak",
    "out-of-memory": "memory-runs-out",
}
"""Names of causes in earlier reports, each with its current name."""

TEXTS: Mapping[str, str] = {
    "cause.undecided.2": "Not decided. Either: {first} Or: {second}",
    "cause.undecided.3": "Not decided. Either: {first} Or: {second} Or: {third}",
    **{entry.template(): entry.summary for entry in CATALOG},
    **{entry.template(variant): variant.summary for entry in CATALOG for variant in entry.variants},
    **{entry.rival_template(rival): decides for entry in CATALOG for rival, decides in entry.rivals.items()},
}
"""Template id → sentence."""
