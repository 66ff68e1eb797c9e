"""`report.html`: a training run on one page, made from the files of its folder."""

import math
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from statistics import median

from saccade.attention.seen import Attended
from saccade.view.caption_page import caption_section
from saccade.view.captioned import CaptionedPicture
from saccade.view.curves import Point, Series, chart, short
from saccade.view.document import COMPONENT_SCRIPTS, COMPONENT_STYLES, document
from saccade.view.page import attention_section
from saccade.view.run_files import Row, RunFiles, SampleSet, number, read_run

_STYLES = (*COMPONENT_STYLES, "report.css")
_SCRIPTS = (*COMPONENT_SCRIPTS, "report.js")
_OPEN_SAMPLE_SETS = 2


def report(
    folder: Path,
    *,
    attended: Sequence[Attended] = (),
    pictures: Sequence[CaptionedPicture] = (),
    title: str | None = None,
) -> str:
    """The whole page as HTML, with attention between words or over pictures.

    What the folder does not hold (yet) is said in its place.
    """
    run = read_run(folder)
    title = title if title is not None else run.name
    sections = [
        f"<h1>{escape(title)}</h1>",
        _key_figures(run),
        _notes(run),
        f"<h2>Training</h2>{_curves(run)}",
        f"<h2>Samples</h2>{_samples(run.samples)}",
        f"<h2>Attention</h2>{_attention(attended, pictures)}",
        f"<h2>Results</h2>{_results(run.results)}",
        f"<h2>Recipe</h2>{_recipe(run.recipe)}",
    ]
    return document(title=title, body="\n".join(sections), styles=_STYLES, scripts=_SCRIPTS)


def _attention(attended: Sequence[Attended], pictures: Sequence[CaptionedPicture]) -> str:
    if pictures:
        return "".join(caption_section(picture) for picture in pictures)
    return attention_section(attended) if attended else _absent("No attention was recorded.")


def _absent(sentence: str) -> str:
    return f'<p class="quiet">{escape(sentence)}</p>'


def _best(run: RunFiles) -> Row | None:
    return next((row for row in reversed(run.valid) if row.get("best") is True), None)


def _key_figures(run: RunFiles) -> str:
    if not run.train and not run.valid:
        return _absent("No metrics yet: this run has not made its first step.")
    rows = (*run.train, *run.valid)
    figures = {
        "steps": _largest(rows, "step", lambda value: f"{value:,.0f}"),
        _counted(run): _largest(run.train, "tokens", short),
        "minutes": _largest(rows, "seconds", lambda value: f"{value / 60:,.1f}"),
        f"{_counted(run)} a second, median": _median_speed(run.train),
    }
    best = _best(run)
    parts = []
    if best is not None:
        label = f"best {_metric_words(best)}"
        step = f"at step {number(best, 'step'):,.0f}"
        parts.append(f"<div><dt>{escape(label)}</dt><dd>{number(best, 'score'):.2f} <small>{step}</small></dd></div>")
    parts += [f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures.items() if value is not None]
    return f'<dl class="figures">{"".join(parts)}</dl>'


def _counted(run: RunFiles) -> str:
    """What the training counts as tokens."""
    return "pictures" if "task: picture-classification" in (run.recipe or "").splitlines() else "tokens"


def _largest(rows: Sequence[Row], key: str, words: Callable[[float], str]) -> str | None:
    values = [number(row, key) for row in rows]
    finite = [value for value in values if math.isfinite(value)]
    return words(max(finite)) if finite else None


def _median_speed(rows: Sequence[Row]) -> str | None:
    speeds = [speed for row in rows if math.isfinite(speed := number(row, "tokens_per_second"))]
    return f"{median(speeds):,.0f}" if speeds else None


def _metric_words(row: Row) -> str:
    metric = str(row.get("metric", "score"))
    return {"bleu": "BLEU", "chrf": "chrF", "cider": "CIDEr"}.get(metric, metric)


def _notes(run: RunFiles) -> str:
    notes = list(run.notes)
    for name, rows in (("training", run.train), ("validation", run.valid)):
        broken = [number(row, "step") for row in rows if not math.isfinite(number(row, "loss"))]
        if broken:
            share = f"{len(broken):,} of {len(rows):,}"
            notes.append(f"{share} {name} losses are not finite numbers, first at step {broken[0]:,.0f}.")
    return f'<ul class="notes">{"".join(f"<li>{escape(note)}</li>" for note in notes)}</ul>' if notes else ""


def _curves(run: RunFiles) -> str:
    if not run.train and not run.valid:
        return _absent("No training yet.")

    def series(name: str, rows: Sequence[Row], key: str, best: float | None = None) -> Series:
        return Series(name, tuple(Point(number(row, "step"), number(row, key)) for row in rows), best)

    charts = [chart("Loss", [series("training", run.train, "loss"), series("validation", run.valid, "loss")])]
    if run.valid:
        best = _best(run)
        name = _metric_words(run.valid[-1])
        scores = series(name, run.valid, "score", number(best, "step") if best is not None else None)
        charts.append(chart(f"Validation {name}", [scores]))
    if run.train:
        charts.append(chart("Learning rate", [series("learning rate", run.train, "lr")]))
        speed = f"{_counted(run)} a second"
        charts.append(chart(speed.capitalize(), [series(speed, run.train, "tokens_per_second")]))
    missing = "" if run.valid else _absent("No validation yet.")
    return f'{missing}<div class="charts">{"".join(charts)}</div>'


def _samples(sets: Sequence[SampleSet]) -> str:
    if not sets:
        return _absent("No samples yet.")
    newest = "".join(_sample_table(each) for each in sets[:_OPEN_SAMPLE_SETS])
    older = "".join(_sample_table(each) for each in sets[_OPEN_SAMPLE_SETS:])
    fold = f"<details><summary>Earlier samples</summary>{older}</details>" if older else ""
    remark = _absent("Marked words of the hypothesis differ from the reference.")
    return remark + newest + fold


def _sample_table(each: SampleSet) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Source", "Reference", "Hypothesis"))
    rows = "".join(
        f'<tr><td data-label="Source">{escape(sample.source)}</td>'
        f'<td data-label="Reference">{escape(sample.reference)}</td>'
        f'<td data-label="Hypothesis">{marked(sample.hypothesis, sample.reference)}</td></tr>'
        for sample in each.samples
    )
    caption = f"<caption>Step {each.step:,}</caption>"
    return f'<table class="samples">{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def marked(hypothesis: str, reference: str) -> str:
    """The hypothesis as HTML, with ``<mark>`` around the words that are not, in this order, in the reference."""
    words = hypothesis.split()
    if not words:
        return '<span class="quiet">(nothing)</span>'
    parts = []
    for kind, _, _, start, end in SequenceMatcher(a=reference.split(), b=words, autojunk=False).get_opcodes():
        if start < end:
            text = escape(" ".join(words[start:end]))
            parts.append(text if kind == "equal" else f"<mark>{text}</mark>")
    return " ".join(parts)


def _results(results: Sequence[Row]) -> str:
    if not results:
        return _absent("No results yet: evaluating the run writes them.")
    return "".join(_result(entry) for entry in results)


def _result(entry: Row) -> str:
    names = ("Score", "Value", "Interval", "Signature")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "".join(_score_row(score) for score in entry["scores"])
    machine = entry.get("machine") or {}
    facts = [
        f"{entry['sentences']:,} {entry.get('unit', 'sentences')}" if isinstance(entry.get("sentences"), int) else "",
        f"{number(entry, 'seconds'):,.1f} s" if math.isfinite(number(entry, "seconds")) else "",
        ", ".join(f"{name} {value}" for name, value in (entry.get("decode") or {}).items()),
        ", ".join(
            f"{prefix}{machine[name]}{suffix}"
            for name, prefix, suffix in (
                ("cpu", "", ""),
                ("gpu", "", ""),
                ("threads", "threads ", ""),
                ("torch", "torch ", ""),
            )
            if machine.get(name) is not None
        ),
        f"saccade {entry['saccade']}" if "saccade" in entry else "",
        str(entry.get("date", "")),
        str(entry.get("command", "")),
    ]
    told = " · ".join(escape(fact) for fact in facts if fact)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    data = escape(str(entry.get("data", "data not named")))
    return f'<div class="result"><h3>{data}</h3><div class="scroll">{table}</div><p>{told}</p></div>'


def _score_row(score: Row) -> str:
    interval = score.get("interval")
    between = "none"
    if isinstance(interval, dict):
        low, high = number(interval, "low"), number(interval, "high")
        between = f"{low:.2f} to {high:.2f} ({number(interval, 'level'):.0%})"
    return (
        f'<tr><td>{escape(str(score.get("name", "")))}</td><td class="score">{number(score, "value"):.2f}</td>'
        f"<td>{between}</td><td><code>{escape(str(score.get('signature', '')))}</code></td></tr>"
    )


def _recipe(text: str | None) -> str:
    if text is None:
        return _absent("No recipe.yaml in this folder.")
    return f"<details><summary>recipe.yaml</summary><pre>{escape(text)}</pre></details>"
