"""Causes: a few explanations for what fired, each with its evidence, what speaks against it, and what to change."""

from diagnostics.causes.catalog import CATALOG
from diagnostics.causes.explain import explain

__all__ = ["CATALOG", "explain"]
