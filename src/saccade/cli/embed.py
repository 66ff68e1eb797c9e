"""``saccade embed``."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from saccade.cli.console import say


def embed(
    run: Annotated[Path, Argument(help="The run folder of a BERT, whatever it was trained for.")],
    output: Annotated[Path, Argument(help="Where to write: .parquet, .npz or .jsonl.")],
    input: Annotated[Path | None, Option(help="Texts, one a line. Default: standard input.")] = None,
    of: Annotated[Literal["sentences", "words"], Option(help="One vector for a text, or for each word.")] = "sentences",
    layers: Annotated[
        str, Option(help="last, last4, all, or numbers such as -1,-2; 0 is what goes into the first layer.")
    ] = "last",
    combine: Annotated[
        Literal["sum", "mean", "concatenate"], Option(help="How several layers become one vector.")
    ] = "sum",
    pooling: Annotated[
        Literal["mean", "first"] | None,
        Option(help="A text's vector: the mean of its tokens (the default), or the state of [CLS]."),
    ] = None,
    normalize: Annotated[bool, Option(help="Vectors of texts get length 1, for cosine similarity.")] = False,
) -> Path:
    """Contextual vectors of texts or of their words, from any layers, one line of text after the other.

    Examples:

      saccade embed runs/minilm vectors.npz --input sentences.txt --normalize

      saccade embed runs/bert-1 words.parquet --input texts.txt --of words --layers last4 --combine concatenate
    """
    from saccade.cli.lines import lines_of
    from saccade.errors import DecodingError
    from saccade.models import LayerChoice
    from saccade.runs import BertRun, load
    from saccade.runs.vector_files import check_ending, write_vectors

    check_ending(output)
    if of == "words" and (normalize or pooling is not None):
        raise DecodingError("--pooling and --normalize are for vectors of texts: leave them out with --of words")
    loaded = load(run)
    if not isinstance(loaded, BertRun):
        raise DecodingError(f"{run} is a {loaded.recipe.model.preset}: vectors come from a BERT")
    choice = LayerChoice.parse(layers, combine)
    texts = list(lines_of(input))
    if not texts:
        raise DecodingError("there is no text to embed: the input is empty")
    if of == "words":
        count = write_vectors(output, words=loaded.word_vectors(texts, choice))
    else:
        vectors = loaded.sentence_vectors(texts, choice, pooling=pooling or "mean", normalize=normalize)
        count = write_vectors(output, texts=texts, vectors=vectors)
    say(f"{count:,} vectors: {output}")
    return output
