"""LibreTranslate's way to ask for a translation: by languages, not by the name of a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.data.tags import direction_of
from saccade.errors import DataError
from saccade.runs import TranslationRun
from saccade.serve.models import Models, Served
from saccade.serve.refusals import Malformed
from saccade.serve.schemas.common import listed
from saccade.serve.schemas.translate import LibreAnswer, LibreLanguage, LibreRequest
from saccade.serve.verbs.translate import Translating, sources
from saccade.training.kinds import corpus_settings

NAMES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French"}
ANY = "auto"


@dataclass(frozen=True)
class Ways:
    """The languages that a run reads and writes; none where its data do not name them."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]


def ways_of(run: TranslationRun) -> Ways:
    settings = corpus_settings(run.recipe)
    found = []
    for spec in settings.train:
        try:
            found.append(direction_of(spec, source=settings.source, target=settings.target))
        except DataError:
            continue
    read = dict.fromkeys(way.source for way in found if way.source is not None)
    written = run.languages or tuple(dict.fromkeys(way.target for way in found))
    return Ways(tuple(read), tuple(written))


async def libre_translate(models: Models, asked: LibreRequest) -> LibreAnswer:
    if asked.format != "text":
        raise Malformed("only format text is translated: take the markup out and send what stands in it", "format")
    served, to = _chosen(models, asked.source, asked.target)
    texts = listed(asked.q)
    beam = None if not asked.alternatives else max(5, asked.alternatives + 1)
    work = Translating(to, beam, None, asked.alternatives + 1)
    found = await served.queue.ask(work, await sources(served, texts, "q"))
    written = [one.text for one in found]
    others = [[candidate.text for candidate in one.candidates[1:]] for one in found]
    if isinstance(asked.q, str):
        return LibreAnswer(translatedText=written[0], alternatives=others[0] if asked.alternatives else None)
    return LibreAnswer(translatedText=written, alternatives=others if asked.alternatives else None)


def libre_languages(models: Models) -> list[LibreLanguage]:
    """Every language that is read, with those it can be translated into."""
    found: dict[str, dict[str, None]] = {}
    for _, ways in _translators(models):
        for source in ways.sources:
            targets = found.setdefault(source, {})
            targets.update(dict.fromkeys(target for target in ways.targets if target != source))
    return [LibreLanguage(code=code, name=NAMES.get(code, code), targets=list(to)) for code, to in found.items()]


def _translators(models: Models) -> Sequence[tuple[Served, Ways]]:
    return [(one, ways_of(one.run)) for one in models if isinstance(one.run, TranslationRun)]


def _chosen(models: Models, source: str, target: str) -> tuple[Served, str | None]:
    """The first run that goes this way, and the language to tell it; a run without languages goes any way."""
    every = _translators(models)
    for served, ways in every:
        if target in ways.targets and (source == ANY or not ways.sources or source in ways.sources):
            return served, target if served.card.languages else None
    for served, ways in every:
        if not ways.targets:
            return served, None
    known = ", ".join(sorted({f"{a}-{b}" for _, ways in every for a in ways.sources for b in ways.targets if a != b}))
    raise Malformed(f"no model here translates from {source} into {target}; there are {known or 'none'}", "target")
