"""A log as its producer's trainers see it: series by bare tag, settings, version."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.model.recording import Recording
from diagnostics.model.series import RawSeries
from diagnostics.model.setup import Version, version_of


@dataclass(frozen=True, slots=True)
class Log:
    """A recording with its tags stripped of the transport's prefix, its configuration and its producer's version."""

    recording: Recording
    series: Mapping[str, RawSeries]
    config: Mapping[str, Any]
    version: str | None = None

    @property
    def release(self) -> Version | None:
        """The version's leading numbers, for comparison; None where it is not known."""
        return version_of(self.version)

    def has(self, *tags: str) -> bool:
        """Whether every one of these tags is logged."""
        return all(tag in self.series for tag in tags)

    def is_between(self, since: Version, before: Version) -> bool:
        """Whether the version may lie in the range: True where it is not known."""
        release = self.release
        return release is None or (since <= release and (not before or release < before))
