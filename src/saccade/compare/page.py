"""``report.html``: the comparison on one page that needs nothing else."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from saccade.compare.classes import ClassMeasured
from saccade.compare.comparison import Comparison
from saccade.compare.table import caption, headings, table
from saccade.view.document import document
from saccade.view.report import marked

DECODED = ("beam", "pixels", "fit")  # settings of answering that are told
SHOWN = 6  # sentences, from short to long


def page(comparison: Comparison, drawing: Path, looks: Path | None = None) -> str:
    """Table, pictures, and the same sentences, or the same classes, by every system.

    ``looks`` is the picture of where each system looks, if there is one.
    """
    first = comparison.rows[0].system
    title = f"{len(comparison.rows)} systems at {comparison.budget} each"
    machine = first.machine
    tokenizer = f", tokenizer {comparison.recipe.tokenizer.kind}" if "tokenizer" in comparison.yardstick.shared else ""
    told = (
        f"Data {comparison.recipe.data.train_sources[0]}{tokenizer}; "
        f"{machine['cpu']}, {machine['cores']} cores{', ' + machine['gpu'] if machine['gpu'] else ''}, "
        f"torch {machine['torch']}, saccade {comparison.saccade}, {comparison.date}"
    )
    sections = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(caption(comparison))}, best first.</p>',
        f'<div class="scroll">{_table(comparison)}</div>',
        *(
            _of_pictures(comparison, drawing)
            if isinstance(first, ClassMeasured)
            else _of_texts(comparison, drawing, looks)
        ),
        f"<h2>How it was measured</h2>{_method(comparison)}",
        f'<p class="quiet">{escape(told)}</p><pre>{escape(comparison.command)}</pre>',
    ]
    return document(title=title, body="\n".join(sections), styles=("base.css", "report.css"), scripts=())


def _of_texts(comparison: Comparison, drawing: Path, looks: Path | None) -> Sequence[str]:
    attention = () if looks is None else (f"<h2>Where each system looks</h2>{_attention(looks)}",)
    return (
        f"<h2>Score, cost and length</h2>{_picture(drawing, 'Score against cost, and score by source length')}",
        '<p class="quiet">Right: where one vector must hold the whole source and cannot, the curve falls with the '
        "length of the sentence.</p>",
        *attention,
        f"<h2>The same sentences</h2>{_samples(comparison)}",
    )


def _of_pictures(comparison: Comparison, drawing: Path) -> Sequence[str]:
    systems = [row.system for row in comparison.rows if isinstance(row.system, ClassMeasured)]
    names = ["class", *(system.name for system in systems)]
    lines = [
        [label, *(f"{system.found[label]:.1f}" for system in systems)]
        for label in (systems[0].found if systems else ())
    ]
    return (
        f"<h2>Score and cost</h2>{_picture(drawing, 'Score against cost')}",
        '<p class="quiet">Systems of one kind and several sizes are joined by a line.</p>',
        f'<h2>The same classes</h2><div class="scroll">{_cells(names, lines)}</div>',
        '<p class="quiet">The share of each class that was found, in percent.</p>',
    )


def _table(comparison: Comparison) -> str:
    return _cells(headings(comparison), table(comparison))


def _cells(names: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    return f'<table class="comparison"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _picture(drawing: Path, words: str) -> str:
    """As an image, whose styles are its own: the page's policy allows none but the page's."""
    data = base64.b64encode(drawing.read_bytes()).decode("ascii")
    return f'<img class="drawing" alt="{words}" src="data:image/svg+xml;base64,{data}">'


def _attention(looks: Path) -> str:
    return (
        f"{_picture(looks, 'For each system with attention a matrix of target words against source words')}"
        '<p class="quiet">Each writes the reference translation of the same sentence; a row is a target word, and dark '
        "is where it looks, the mean of all heads. A system without attention has nothing to show.</p>"
    )


def _samples(comparison: Comparison) -> str:
    return "".join(_sample(comparison, row) for row in spread(comparison)) + (
        '<p class="quiet">Marked words differ from the reference.</p>'
    )


def spread(comparison: Comparison) -> Sequence[int]:
    """Sentences from the shortest to the longest, evenly taken."""
    words = [len(pair.source.split()) for pair in comparison.examples]
    order = sorted(range(len(words)), key=lambda row: (words[row], row))
    count = min(SHOWN, len(order))
    return [order[place * (len(order) - 1) // max(count - 1, 1)] for place in range(count)]


def _sample(comparison: Comparison, place: int) -> str:
    pair = comparison.examples[place]
    lines = [("source", escape(pair.source)), ("reference", escape(pair.target))]
    for row in comparison.rows:
        lines.append((row.system.name, marked(row.system.answers[place], pair.target)))
    return f'<dl class="texts">{"".join(f"<dt>{escape(name)}</dt><dd>{text}</dd>" for name, text in lines)}</dl>'


def _method(comparison: Comparison) -> str:
    yardstick, systems = comparison.yardstick, [row.system for row in comparison.rows]
    decoded = "; ".join(
        f"{one.name}: {', '.join(f'{key} {one.decode[key]}' for key in DECODED if key in one.decode)}"
        for one in systems
    )
    tokenizer = " with the same tokenizer" if "tokenizer" in yardstick.shared else ""
    signatures = "<br>".join(f"<code>{escape(score.signature)}</code>" for score in systems[0].scores)
    return (
        f"<p>Every system was trained in a process of its own on the same corpus{tokenizer}, its own "
        f"recipe otherwise, until {escape(str(comparison.budget))} were spent; its best weights by validation were "
        "evaluated. Time is that of training with its validations. FLOPs are the matrix products of all training "
        "steps. Memory is the peak of the training's processes. Differences to the best are tested by paired "
        f"bootstrap. {escape(decoded)}.</p>"
        f"<p>{signatures}</p>"
    )
