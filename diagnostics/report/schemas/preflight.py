"""The schema of `rlvitals preflight`: what was found in settings, and what was tried."""

from diagnostics.report.schemas.diagnosis import SETTINGS_FINDING
from diagnostics.report.schemas.runs import ERRORS
from diagnostics.report.schemas.shapes import (
    COUNT,
    FLAG,
    NUMBER,
    STEP,
    TEXT,
    listed,
    nullable,
    record,
)

_SKIPPED = listed(record({"rule": TEXT, "reason": TEXT, "enable": TEXT}))
_PAID = record(
    {
        "policy": TEXT,
        "knows_answer": FLAG,
        "prompt": TEXT,
        "answer": TEXT,
        "score": nullable(NUMBER),
        "right": nullable(NUMBER),
        "wrong": nullable(NUMBER),
        "share": nullable(NUMBER),
    }
)
_GRADER = record(
    {
        "function": TEXT,
        "answers": COUNT,
        "unjudged": nullable(TEXT),
        "paid": listed(_PAID),
        "mean_seconds": nullable(NUMBER),
        "slowest": nullable(record({"policy": TEXT, "answer": TEXT, "seconds": NUMBER})),
        "is_cut_off": FLAG,
        "completions_per_step": nullable(COUNT),
        "step_seconds": nullable(NUMBER),
    }
)
_PASS_RATES = nullable(
    record(
        {
            "prompts": COUNT,
            "generations": COUNT,
            "pass_at": NUMBER,
            "rates": listed(NUMBER),
            "histogram": listed(record({"pass_rate": TEXT, "prompts": COUNT})),
            "no_signal_share": NUMBER,
            "kept": COUNT,
        }
    )
)
_PROMPT = record(
    {
        "text": TEXT,
        "ids": listed(STEP),
        "tokens": listed(TEXT),
        "count": COUNT,
        "leading_bos": COUNT,
        "end_tokens": COUNT,
        "is_rendered": FLAG,
    }
)
_CONVERSATION = record(
    {
        "kind": TEXT,
        "turns": COUNT,
        "changed_by": nullable(COUNT),
        "earlier": TEXT,
        "later": TEXT,
        "is_same_text": FLAG,
        "refused": TEXT,
    }
)
_TOKENIZATION = nullable(
    record(
        {
            "bos": nullable(TEXT),
            "eos": nullable(TEXT),
            "pad": nullable(TEXT),
            "has_template": FLAG,
            "template_bos": COUNT,
            "retokenized_bos": COUNT,
            "adds_bos": FLAG,
            "prompts": listed(_PROMPT),
            "conversations": listed(_CONVERSATION),
            "pads_with_end": FLAG,
        }
    )
)
PREFLIGHT = record(
    {
        "configurations": listed(
            record(
                {
                    "path": TEXT,
                    "algorithm": TEXT,
                    "producer": TEXT,
                    "producer_version": nullable(TEXT),
                    "settings": COUNT,
                    "unread_settings": listed(TEXT),
                    "notes": listed(TEXT),
                    "preflight": listed(SETTINGS_FINDING),
                    "quiet": listed(TEXT),
                    "skipped": _SKIPPED,
                    "graders": listed(_GRADER),
                    "pass_rates": _PASS_RATES,
                    "tokenization": _TOKENIZATION,
                }
            )
        ),
        "errors": ERRORS,
    }
)
