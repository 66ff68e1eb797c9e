"""``saccade evaluate`` of a language model."""

import json
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from saccade.cli.evaluate import paired_line, score_line

if TYPE_CHECKING:
    from saccade.runs import LanguageEvaluation, LanguageRun

DIGITS = 3  # of bits per byte
WIDTH = 18  # of "bits per character"


def evaluate_text(
    run: "LanguageRun", data: str | None = None, *, against: "LanguageRun | None" = None, as_json: bool = False
) -> "LanguageEvaluation":
    """Scores one language model on a text, and compares it with another."""
    from saccade.cli.report import write_report
    from saccade.runs import compare_texts

    command = shlex.join(["saccade", *sys.argv[1:]])
    spec = run.test_set(data)
    documents = run.documents(spec)
    found = run.evaluate(spec, documents=documents, command=command)
    comparison = None
    if against is not None:
        comparison = compare_texts(against.evaluate(spec, documents=documents, command=command), found)
    write_report(run)
    if as_json:
        said = asdict(found.result) | ({} if comparison is None else {"comparison": asdict(comparison)})
        print(json.dumps(said, indent=2, ensure_ascii=False))
        return found
    result = found.result
    print(f"{result.data}: {result.sentences:,} documents, {result.seconds:.1f} s")
    for score in found.scores.scores:
        print(score_line(score, DIGITS, WIDTH))
    if found.scores.bits_per_byte is None:
        print("no bits per byte: the text has words that the vocabulary has not (tokenizer.kind words)")
    if comparison is not None:
        print(paired_line(comparison, DIGITS))
    return found
