"""Assembles a recording, interpreted by its producer, into a Run; counts duplicates, gaps and NaN."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from diagnostics.assemble.row_axis import has_no_axis, on_rows
from diagnostics.assemble.samples import resolve_samples
from diagnostics.assemble.tag_series import TagMeaning, TagSeries
from diagnostics.derivations.derived_series import DerivedSeries
from diagnostics.derivations.from_samples import SampleTables
from diagnostics.model.histograms import Histograms
from diagnostics.model.quirks import Quirk
from diagnostics.model.recording import Recording
from diagnostics.model.run import DataHealth, Run
from diagnostics.model.samples import Samples
from diagnostics.model.series import Series
from diagnostics.model.settings import Settings
from diagnostics.model.status import Status
from diagnostics.model.vocabulary import metric
from diagnostics.producers.key_lists import is_ignored
from diagnostics.producers.own_names import NO_NAMES, OwnNames
from diagnostics.producers.setting_lookup import settings_of_run
from diagnostics.producers.translation import Translation, translate
from diagnostics.producers.transport import PREFIX
from diagnostics.readers.console.row_steps import COUNTED
from diagnostics.told import told

_OPEN_STATES = frozenset({"running", "silent", "unknown"})  # of formats that do not record how a run ended


def assemble(recording: Recording, observed_at: float, own: OwnNames = NO_NAMES) -> Run:
    """The run in a recording, as seen at `observed_at` (seconds since the epoch), with a user's own names."""
    return Assembler(own).compose(recording, observed_at)


class Assembler:
    """Assembles one run repeatedly as it grows: the result of `assemble`, processing only new points.

    The meaning of the tags is determined each time, from their names and the settings alone. A tag with an unchanged
    meaning whose old points are a prefix of the new ones is extended; any other is rebuilt: a late tag may reveal
    another producer, version or axis, and a log may be replaced or rewound.
    """

    def __init__(self, own: OwnNames = NO_NAMES) -> None:
        self._own = own
        self._tracks: dict[str, TagSeries] = {}

    def compose(self, recording: Recording, observed_at: float) -> Run:
        """The run in the recording, seen at `observed_at` (seconds since the epoch)."""
        translation = translate(recording, self._own)
        if has_no_axis(recording.tags) and not translation.traits.counts_rows:
            recording = on_rows(recording)
            translation = translate(recording, self._own)
        self._tracks = self._update_series(translation, recording.resumed_after)
        names = _names(self._tracks.values(), translation.producer)
        series = {names[tag]: track.series(names[tag]) for tag, track in self._tracks.items()}
        settings = settings_of_run(translation.producer, translation.algorithm, translation.log.config)
        quirks = translation.origin.quirks_of(translation.algorithm, translation.log.release)
        quirks |= {Quirk.COUNTS_ROWS} if COUNTED in recording.notes else frozenset()
        samples = resolve_samples(recording, translation.origin, translation.log.config, series)
        return Run(
            path=recording.path,
            run_id=recording.run_id,
            name=recording.name,
            sources=recording.sources,
            producer=translation.producer,
            producer_version=translation.log.version,
            algorithm=translation.algorithm,
            series=series,
            histograms=_histograms(recording, translation),
            config=translation.log.config,
            tags=translation.trainer.tags_of(translation.algorithm),
            unused=translation.unused(),
            settings=settings,
            derived=DerivedSeries(series, settings, _whole_tables(samples, settings, quirks)),
            quirks=quirks,
            samples=samples,
            status=_status(recording.status, series, translation),
            data_health=_data_health(recording, tuple(self._tracks.values()), series, translation.producer),
            observed_at=observed_at,
            created=recording.created,
            task=recording.task,
            parent=recording.parent,
            console=recording.console,
            console_tail=recording.console_tail,
            device=recording.device,
            resumed_after=recording.resumed_after,
            notes=recording.notes + translation.notes + _unverified_note(translation) + self._own.notes(recording.tags),
        )

    def _update_series(self, translation: Translation, resumed_after: tuple[int, ...]) -> dict[str, TagSeries]:
        """The series of each tag, in tag order, updated to the log's current points."""
        counts_rows, found = translation.traits.counts_rows, dict[str, TagSeries]()
        for tag in translation.tags():
            terms = TagMeaning(tag, translation.name_of(tag), counts_rows, resumed_after)
            known, raw = self._tracks.get(tag), translation.log.series[tag]
            if known is not None and known.terms == terms:
                known.update(raw)
            else:
                known = TagSeries(terms, raw)
            found[tag] = known
        return found


def _whole_tables(samples: Samples, settings: Settings, quirks: Collection[Quirk]) -> SampleTables | None:
    """The samples as metrics; None where they are not drawn at random."""
    return None if Quirk.SELECTS_SAMPLES in quirks else SampleTables(samples, settings)


def _unverified_note(translation: Translation) -> tuple[str, ...]:
    """What a reader must know of a producer whose names were never checked against a log of its own."""
    if translation.trainer.is_verified:
        return ()
    name = translation.origin.name
    return (
        told(
            "What {producer} means by its names is taken from its source code, not checked on a log of its own",
            producer=name,
        ),
    )


def _names(tracks: Iterable[TagSeries], producer: str) -> dict[str, str]:
    """The name of each tag's series: the canonical one, else the tag.

    A tag that must not be confused with the metric of that name (it means something else in this version, or another
    tag already is that metric) gets its producer's prefix: `trl/clip_ratio`.
    """
    found: dict[str, str] = {}  # name → tag
    for track in tracks:
        terms = track.terms
        name = terms.name.metric if terms.name else terms.tag
        if name in found or (terms.name is None and metric(name)):
            name = f"{producer}/{terms.tag}"
        while name in found:
            name = f"{producer}/{name}"
        found[name] = terms.tag
    return {tag: name for name, tag in found.items()}


def _histograms(recording: Recording, translation: Translation) -> dict[str, Histograms]:
    """Histograms by name: the canonical name of a histogram metric, else the tag."""
    found: dict[str, Histograms] = {}
    for prefixed, raw in recording.histograms.items():
        tag = prefixed.removeprefix(PREFIX)
        known = translation.name_of(tag)
        entry = metric(known.metric) if known else None
        name = known.metric if known and entry and entry.kind == "histogram" and known.metric not in found else tag
        found[name] = raw.last_of_each_step(name, tag)
    return found


def _data_health(
    recording: Recording, tracks: Sequence[TagSeries], series: Mapping[str, Series], producer: str
) -> DataHealth:
    unmapped = {item.tag: name for name, item in series.items() if item.metric is None}
    second = {track.terms.tag for track in tracks if track.terms.name is not None}
    understood = {name for tag, name in unmapped.items() if tag in second or is_ignored(producer, tag)}
    return DataHealth(
        points=sum(track.points for track in tracks),
        nan=sum(track.nan for track in tracks),
        inf=sum(track.inf for track in tracks),
        duplicates=sum(track.duplicates for track in tracks),
        rewinds=max(
            (track.rewinds for track in tracks), default=0
        ),  # counted once per run: all its tags go back together
        gaps=_gaps(track for track in tracks if not track.terms.is_eval),
        malformed=recording.malformed,
        rounded_to=recording.rounded_to,
        unmapped_tags=tuple(sorted(unmapped.values())),
        understood_tags=tuple(sorted(understood)),
    )


def _gaps(tracks: Iterable[TagSeries]) -> int:
    """The number of steps missing from the metric logged most often, at its usual distance between steps.

    A metric missing from some rows by design (rewards when a generation is used twice) makes no gap.
    """
    longest = max(tracks, key=lambda track: track.size, default=None)
    return longest.gaps() if longest else 0


def _status(status: Status, series: Mapping[str, Series], translation: Translation) -> Status:
    """The status, with what only the producer knows: the planned steps, and an end that the format cannot express."""
    traits = translation.traits
    step, total = status.step, status.total if status.total is not None else traits.total
    if traits.counts_rows:
        step = max((int(item.steps[-1]) for item in series.values() if len(item)), default=None)
    has_all_steps = step is not None and total is not None and step >= total
    has_ended = status.state in _OPEN_STATES and (traits.has_finished or has_all_steps)
    return replace(status, state="finished" if has_ended else status.state, step=step, total=total)
