"""Causes: a few explanations for what fired, each with its evidence, what speaks against it, and what to change."""

from diagnostics.causes.catalog import CATALOG, FORMER_NAMES
from diagnostics.causes.ranking import ranked_causes
from diagnostics.causes.remedies.catalog import with_fixes
from diagnostics.causes.track_record import track_record

__all__ = ["CATALOG", "FORMER_NAMES", "ranked_causes", "track_record", "with_fixes"]
