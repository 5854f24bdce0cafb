"""The verdict of a gate as SARIF 2.1.0, which code hosts show beside a change: what failed, and what is unsure."""

import json
from importlib import metadata
from typing import Any

from diagnostics.addresses import shown
from diagnostics.gate.verdict import Check, GateVerdict, State
from diagnostics.language import _
from diagnostics.punctuation import labelled
from diagnostics.report.strict_json import json_types
from diagnostics.visible_text import one_line

SARIF_VERSION = "2.1.0"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {State.FAILED: "error", State.UNSURE: "note"}


def sarif(verdict: GateVerdict, gate: str) -> str:
    """A log with one run of the tool; each result points at the gate's file, where what is demanded stands."""
    told = [check for check in verdict.checks if check.state in _LEVELS]
    rules = sorted({_rule(check) for check in told})
    log = {
        "$schema": _SCHEMA,
        "version": SARIF_VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "rlvitals gate",
                        "version": metadata.version("rlvitals"),
                        "rules": [{"id": rule, "shortDescription": {"text": rule}} for rule in rules],
                    }
                },
                "results": [_result(check, rules, gate) for check in told],
            }
        ],
    }
    return json.dumps(json_types(log), indent=2, allow_nan=False)


def _result(check: Check, rules: list[str], gate: str) -> dict[str, Any]:
    of_run = f" of {shown(check.run)}" if check.run else ""
    rule = _rule(check)
    name = _("{check} of {run}").format(check=check.name, run=shown(check.run)) if check.run else check.name
    return {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": _LEVELS[check.state],
        "message": {"text": one_line(labelled(name, check.message))},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": gate}, "region": {"startLine": 1}}}],
        "partialFingerprints": {"check/v1": one_line(f"{rule}{of_run}")},
    }


def _rule(check: Check) -> str:
    return one_line(f"{check.group.replace(' ', '-')}/{check.name}")
