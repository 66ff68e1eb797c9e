"""Looking inside: what every layer attended to, with edits and one query worked out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from saccade.attention import Asked, Attended, Calculation, Edit, Watch
from saccade.data.examples import PictureRef
from saccade.decoding import Gone
from saccade.errors import DecodingError, SaccadeError
from saccade.runs import (
    BertRun,
    CaptionRun,
    ClassifierRun,
    LanguageRun,
    Look,
    MaskedRun,
    PictureRun,
    Run,
    TaggerRun,
    Trained,
    TranslationRun,
)
from saccade.runs.masked import MASK
from saccade.serve.models import Served
from saccade.serve.pictures import PLACES, Sent, as_files, from_base64
from saccade.serve.queue import Sized
from saccade.serve.refusals import Unfit
from saccade.serve.schemas.attention import AttentionRequest
from saccade.serve.tokens import lengths
from saccade.serve.work import Work
from saccade.tasks.captioned import Told
from saccade.view.page import packed_layer
from saccade.view.weights import visible

MORE = 16  # tokens that a language model goes on with


@dataclass(frozen=True)
class Subject:
    """What is looked at: a text, with a second one or a target, or a picture, and where it lies meanwhile."""

    text: str
    second: str | None
    target: str | None
    to: str | None
    pictures: tuple[Sent, ...]
    beam: int | None
    heads: tuple[int, ...] | None
    files: tuple[PictureRef, ...] = ()


@dataclass(frozen=True)
class Looking(Work[Trained, Subject, dict[str, Any]]):
    """Edits change what a model does, so nobody else is served by it meanwhile."""

    asked: Asked
    together = False

    def do(self, run: Trained, items: Sequence[Subject], gone: Gone) -> list[dict[str, Any]]:
        (item,) = items
        return [self._one(run, item, gone)]

    def _one(self, run: Trained, subject: Subject, gone: Gone) -> dict[str, Any]:
        with as_files(subject.pictures) as files:
            subject = replace(subject, files=tuple(files))
            look = _look(run, subject, self.asked, gone)
            found: dict[str, Any] = {
                "text": look.target,
                "answer": _answer(run, subject, self.asked),
                "source": _shown(_source(run, subject, look)),
                "target": _shown(_target(run, look)) if isinstance(run, Run) and look.target is not None else None,
                "layers": [packed_layer(_chosen(one, subject.heads)) for one in look.layers],
                "picture": None if run.grid is None else asdict(run.grid),
                "calculator": None if look.calculation is None else _calculator(look.calculation),
            }
            if self.asked.edits:
                plain = Asked(())
                # Of a text that was given there is nothing else to be written.
                found["unedited_text"] = (
                    look.target if look.target is None or subject.target else _look(run, subject, plain, gone).target
                )
                found["unedited_answer"] = _answer(run, subject, plain)
        return found


async def look(served: Served, request: AttentionRequest) -> dict[str, Any]:
    """Everything that is answered but the model's name; weights are packed as the page packs them."""
    run = served.as_(Trained, "attention")  # type: ignore[type-abstract]
    subject = await _subject(served, request)
    try:
        asked = _asked(request)
        asked.recorder(run.model)  # names of layers and numbers of heads are checked before anybody waits
    except SaccadeError as error:
        raise Unfit(str(error), "layers") from error
    (found,) = await served.queue.ask(Looking(asked), [Sized(subject, PLACES)])
    return {"model": served.name, **found}


def _asked(request: AttentionRequest) -> Asked:
    edits = tuple(Edit(one.layer, one.weights, one.temperature, one.head, one.query, one.key) for one in request.edits)
    detail = request.detail
    watch = None if detail is None else Watch(detail.layer, detail.head, detail.query)
    return Asked(("*",) if request.layers is None else tuple(request.layers), edits, watch)


async def _subject(served: Served, request: AttentionRequest) -> Subject:
    """The input, once it is one that this run reads."""
    run, given = served.run, request.input
    heads = None if request.heads is None else tuple(dict.fromkeys(request.heads))
    if not isinstance(run, TranslationRun) and (request.target is not None or request.to is not None):
        raise Unfit("target and to are for translators", "target")
    if not isinstance(run, Run) or run.grid is not None:
        if given.picture is None or given.text is not None or given.second is not None:
            raise Unfit(f"{served.name} looks at a picture: give input.picture, and no text", "input")
        return Subject("", None, None, None, (from_base64(given.picture, "input.picture"),), request.beam, heads)
    if given.text is None or given.picture is not None:
        raise Unfit(f"{served.name} reads texts: give input.text, and no picture", "input")
    if given.second is not None and not isinstance(run, BertRun):
        raise Unfit("input.second is the second text of a pair, for a BERT", "input")
    texts = [text for text in (given.text, given.second) if text is not None]
    reads, writes = run.tokenizers.source, run.tokenizers.target
    await lengths(served.limits, reads, texts, most=served.look_most, param="input")
    if request.target is not None:
        await lengths(served.limits, writes, [request.target], most=served.look_most, param="target")
    return Subject(given.text, given.second, request.target, request.to, (), request.beam, heads)


def _look(run: Trained, subject: Subject, asked: Asked, gone: Gone) -> Look:
    match run:
        case TranslationRun():
            return run.look(subject.text, subject.target, to=subject.to, asked=asked, beam=subject.beam, gone=gone)
        case BertRun():
            return run.look(subject.text, subject.second, asked=asked)
        case CaptionRun():
            (file,) = subject.files
            return run.look(Told(file.name, (), file), asked=asked, beam=subject.beam)
        case PictureRun():
            return run.look(subject.files[0], asked=asked)
        case _:
            return run.look(subject.text, asked=asked)


def _answer(run: Trained, subject: Subject, asked: Asked) -> str | None:
    """What a model that only reads says, under the same edits; None where it says nothing."""
    with replace(asked, layers=(), watch=None).recorder(run.model):
        match run:
            case LanguageRun():
                return run.generate(subject.text, max_tokens=MORE, temperature=0).text
            case MaskedRun() if MASK in subject.text and subject.second is None and "words" not in run.untrained:
                return run.fill(subject.text, best=1).best
            case ClassifierRun():
                said = run.classify([subject.text], None if subject.second is None else [subject.second])[0]
                return said.label if said.number is None else f"{said.number:.3f}"
            case PictureRun():
                return run.classify(subject.files)[0].said
            case TaggerRun():
                tagged = run.tag([subject.text.split()])[0]
                return "  ".join(f"{word}/{tag}" for word, tag in zip(tagged.words, tagged.tags, strict=True))
            case _:
                return None


def _source(run: Trained, subject: Subject, look: Look) -> Sequence[str]:
    """The tokens that were read, or the places of a picture."""
    for one in look.layers:
        if one.layer.endswith(".cross") or not isinstance(run, TranslationRun | CaptionRun):
            return one.keys
    if isinstance(run, TranslationRun):
        ids = run.tokenizers.read([subject.text], subject.to)[0]
        return (*run.tokenizers.source.pieces(ids), *run.tokenizers.target.pieces([run.tokenizers.target.eos_id]))
    if isinstance(run, Run) and run.grid is None:
        return run.tokenizers.target.pieces(run.tokenizers.target.encode_batch([subject.text])[0])
    return ()


def _target(run: Run, look: Look) -> Sequence[str]:
    """The tokens that were written, end mark included."""
    for one in look.layers:
        if one.layer.startswith("decoder."):
            return one.queries
    tokenizer = run.tokenizers.target
    return tokenizer.pieces([*tokenizer.encode_batch([look.target or ""])[0], tokenizer.eos_id])


def _shown(tokens: Sequence[str]) -> list[str]:
    return [visible(token) for token in tokens]


def _chosen(attended: Attended, heads: tuple[int, ...] | None) -> Attended:
    if heads is None:
        return attended
    count = len(attended.weights_HQK)
    if unknown := [head for head in heads if head >= count]:
        raise DecodingError(f"{attended.layer} has heads 0 to {count - 1}, not {unknown[0]}")
    return replace(attended, weights_HQK=attended.weights_HQK[list(heads)])


def _calculator(found: Calculation) -> dict[str, Any]:
    return {
        "layer": found.layer,
        "head": found.head,
        "query": found.query,
        "query_token": visible(found.query_token),
        "keys": _shown(found.keys),
        "score": found.score,
        "scale": found.scale,
        "combine": None if found.combine_D is None else found.combine_D.tolist(),
        "q": found.q_D.tolist(),
        "k": found.k_KD.tolist(),
        "raw": found.raw_K.tolist(),
        "scaled": found.scaled_K.tolist(),
        "allowed": found.allowed_K.tolist(),
        "softmax": found.softmax_K.tolist(),
        "weights": found.weights_K.tolist(),
        "v": found.v_KV.tolist(),
        "weighted": found.weighted_KV.tolist(),
        "context": found.context_V.tolist(),
    }
