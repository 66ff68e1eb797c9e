"""``report.html``: the comparison on one page that needs nothing else."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from saccade.compare.comparison import Comparison
from saccade.compare.table import HEADINGS, caption, table
from saccade.view.document import document
from saccade.view.report import marked

SHOWN = 6  # sentences, from short to long


def page(comparison: Comparison, drawing: Path) -> str:
    """Table, picture, and the same sentences by every system."""
    first = comparison.rows[0].system
    title = f"{len(comparison.rows)} systems at {comparison.budget} each"
    machine = first.machine
    told = (
        f"Data {comparison.recipe.data.train_sources[0]}, tokenizer {comparison.recipe.tokenizer.kind}; "
        f"{machine['cpu']}, {machine['cores']} cores{', ' + machine['gpu'] if machine['gpu'] else ''}, "
        f"torch {machine['torch']}, saccade {comparison.saccade}, {comparison.date}"
    )
    sections = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(caption(comparison))}, best first.</p>',
        f'<div class="scroll">{_table(comparison)}</div>',
        f"<h2>Score, cost and length</h2>{_picture(drawing)}",
        '<p class="quiet">Right: where one vector must hold the whole source and cannot, the curve falls with the '
        "length of the sentence.</p>",
        f"<h2>The same sentences</h2>{_samples(comparison)}",
        f"<h2>How it was measured</h2>{_method(comparison)}",
        f'<p class="quiet">{escape(told)}</p><pre>{escape(comparison.command)}</pre>',
    ]
    return document(title=title, body="\n".join(sections), styles=("base.css", "report.css"), scripts=())


def _table(comparison: Comparison) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in HEADINGS)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in table(comparison))
    return f'<table class="comparison"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _picture(drawing: Path) -> str:
    """As an image, whose styles are its own: the page's policy allows none but the page's."""
    data = base64.b64encode(drawing.read_bytes()).decode("ascii")
    words = "Score against cost, and score by source length"
    return f'<img class="drawing" alt="{words}" src="data:image/svg+xml;base64,{data}">'


def _samples(comparison: Comparison) -> str:
    return "".join(_sample(comparison, row) for row in spread(comparison)) + (
        '<p class="quiet">Marked words differ from the reference.</p>'
    )


def spread(comparison: Comparison) -> Sequence[int]:
    """Sentences from the shortest to the longest, evenly taken."""
    words = [len(pair.source.split()) for pair in comparison.pairs]
    order = sorted(range(len(words)), key=lambda row: (words[row], row))
    count = min(SHOWN, len(order))
    return [order[place * (len(order) - 1) // max(count - 1, 1)] for place in range(count)]


def _sample(comparison: Comparison, place: int) -> str:
    pair = comparison.pairs[place]
    lines = [("source", escape(pair.source)), ("reference", escape(pair.target))]
    for row in comparison.rows:
        lines.append((row.system.name, marked(row.system.translations[place], pair.target)))
    return f'<dl class="texts">{"".join(f"<dt>{escape(name)}</dt><dd>{text}</dd>" for name, text in lines)}</dl>'


def _method(comparison: Comparison) -> str:
    bleu, chrf = comparison.rows[0].system.bleu, comparison.rows[0].system.chrf
    decoded = "; ".join(f"{row.system.name}: beam {row.system.decode['beam']}" for row in comparison.rows)
    return (
        f"<p>Every system was trained in a process of its own on the same corpus with the same tokenizer, its own "
        f"recipe otherwise, until {escape(str(comparison.budget))} were spent; its best weights by validation were "
        "evaluated. Time is that of training with its validations. FLOPs are the matrix products of all training "
        "steps. Memory is the peak of the training's processes. Differences to the best are tested by paired "
        f"bootstrap. {escape(decoded)}.</p>"
        f"<p><code>{escape(bleu.signature)}</code><br><code>{escape(chrf.signature)}</code></p>"
    )
