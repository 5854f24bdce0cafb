"""The callback: one line in a training of transformers or TRL that logs it, diagnoses it, alerts and may stop it."""

from diagnostics.callback.callback import DiagnosisCallback

__all__ = ["DiagnosisCallback"]
