"""``saccade view``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import say

MOST = 4  # earlier words that are printed for each word of a text
WIDE = 7  # small pictures in a row
LEAST = 0.005  # the weight of one that is

if TYPE_CHECKING:
    from saccade.attention import Attended
    from saccade.runs import Look, PictureLook, Run
    from saccade.view.page import Pictured


def view(
    run: Annotated[Path, Argument(help="A run folder.")],
    source: Annotated[str, Argument(help="The sentence to translate, the text to read, or the picture's file.")],
    target: Annotated[
        str | None, Option(help="Look at how the model would write this text instead of its own.")
    ] = None,
    to: Annotated[
        str | None, Option(help="The language to translate into, for a model that was trained for several.")
    ] = None,
    second: Annotated[str | None, Option(help="The second text of a pair, for a BERT.")] = None,
    word: Annotated[
        str | None, Option(help="Draw what this word looks at, layer by layer, as a .png or .svg picture.")
    ] = None,
    beside: Annotated[
        str | None, Option(help="With --word: another text, drawn beside the first on the same scale.")
    ] = None,
    layer: Annotated[
        str | None,
        Option(help="The layer to draw as PNG or SVG, such as decoder.2.cross; `all` for every layer and head."),
    ] = None,
    head: Annotated[int | None, Option(help="The head to draw. Default: the mean of all heads.")] = None,
    output: Annotated[Path, Option(help="A .html page with all layers and heads, or a .png or .svg picture.")] = Path(
        "attention.html"
    ),
) -> Path:
    """Draw what a model attends to while it translates a sentence, reads a text, or looks at a picture.

    Of a language model it also prints, for each word, the earlier words it looked at most. Of a picture it draws what
    reaches the class token through all layers (attention rollout), what it looks at in each layer, and by each head.

    Examples:

      saccade view runs/demo-1 "a small red circle is left of two blue squares"

      saccade view runs/demo-1 "a red star" --output star.png --layer decoder.2.cross --head 1

      saccade view runs/lstmn-lm-1 "the cat that sat on the mat"

      saccade view runs/minilm "the animal didn't cross the street because it was too tired" --word it --beside "the
      animal didn't cross the street because it was too wide" --output it.png

      saccade view runs/cifar10-vit-1 cat.jpg --output cat.png
    """
    from saccade.errors import DecodingError
    from saccade.runs import BertRun, PictureRun, TranslationRun, load

    loaded = load(run)
    if isinstance(loaded, PictureRun):
        asked = {"target": target, "to": to, "second": second, "word": word, "beside": beside}
        if given := next((name for name, value in asked.items() if value is not None), None):
            raise DecodingError(f"--{given} is for models of texts; a picture has --layer and --head")
        seen = loaded.look(source)
        draw_picture(seen, output, layer=layer, head=head)
        ranked = sorted(seen.probabilities.items(), key=lambda one: -one[1])[:MOST]
        print("  ".join(f"{label} {share:.1%}" for label, share in ranked))
        say(f"attention: {output}")
        return output
    if isinstance(loaded, TranslationRun):
        look = loaded.look(source, target, to=to)
    elif target is not None or to is not None:
        raise DecodingError("--target and --to are for translators; give a BERT's second text with --second")
    elif isinstance(loaded, BertRun):
        look = loaded.look(source, second)
    else:
        look = loaded.look(source)
    if not look.layers:
        raise DecodingError(f"{loaded.recipe.model.preset} has no attention to look at")
    if word is not None:
        return _draw_word(loaded, look, word, beside, output, head=head)
    if beside is not None:
        raise DecodingError("--beside is for --word: name the word whose attention is drawn in both texts")
    draw(look, output, title=f"Attention of {run.name}", layer=layer, head=head, picture=_picture(loaded, source))
    shown = look.clearest() if layer is None or layer == "all" else look[layer]
    print(look.target if look.target is not None or shown is None else "\n".join(_looked_at(shown, head)))
    say(f"attention: {output}")
    return output


def _draw_word(run: "Run", look: "Look", word: str, beside: str | None, output: Path, *, head: int | None) -> Path:
    """A picture, and for each text and layer the word that is looked at most."""
    from saccade.errors import DecodingError
    from saccade.runs import TranslationRun
    from saccade.view.heatmap import check_picture, save_figure
    from saccade.view.word import looked_at, word_by_layer

    if isinstance(run, TranslationRun):
        raise DecodingError("--word is for models that read a text for itself, such as BERT and GPT")
    check_picture(output)
    looks = [look] if beside is None else [look, run.look(beside)]
    save_figure(word_by_layer([one.layers for one in looks], word, head=head), output)
    for one in looks:
        found = looked_at(one.layers, word, head=head)
        print(one.source)
        for layer, row_K in zip(found.layers, found.weights_LK, strict=True):
            most = [int(k) for k in (-row_K).argsort(kind="stable")[:MOST] if row_K[k] >= LEAST]
            print(f"  {layer}  " + "  ".join(f"{found.words[k]} {row_K[k]:.2f}" for k in most))
    say(f"attention: {output}")
    return output


def _picture(run: "Run", file: str) -> "Pictured | None":
    """Of a captioner the picture that it looked at, in the square that it saw."""
    from saccade.runs.captioning import SHOWN_PIXELS, CaptionRun
    from saccade.tasks.captioned import picture_file
    from saccade.view.page import Pictured

    if not isinstance(run, CaptionRun):
        return None
    grid = run.grid
    return Pictured(picture_file(file).pixels(SHOWN_PIXELS, grid.fit), grid.rows, grid.columns)


def _looked_at(attended: "Attended", head: int | None) -> list[str]:
    """For each word those it looked at most, with their weights."""
    from saccade.view.weights import head_matrix, visible

    queries, keys = ([visible(token) for token in tokens] for tokens in (attended.queries, attended.keys))
    width = max(map(len, queries))
    lines = []
    for word, row_K in zip(queries, head_matrix(attended, head), strict=True):
        most = [int(k) for k in (-row_K).argsort(kind="stable")[:MOST] if row_K[k] >= LEAST]
        lines.append(f"{word:<{width}}  {'  '.join(f'{keys[k]} {row_K[k]:.2f}' for k in most)}".rstrip())
    return lines


def draw(
    look: "Look",
    output: Path,
    *,
    title: str,
    layer: str | None = None,
    head: int | None = None,
    picture: "Pictured | None" = None,
) -> None:
    """A page, or the picture of one layer, or of ``all``."""
    from saccade.errors import DecodingError
    from saccade.files import write_text
    from saccade.view.heatmap import grid, save, save_figure
    from saccade.view.page import page

    drawn = look.clearest() if layer is None or layer == "all" else look[layer]
    if output.suffix == ".html":
        write_text(output, page(look.layers, title=title, source=look.source, target=look.target, picture=picture))
    elif layer == "all":
        save_figure(grid(look.layers), output)
    elif drawn is None:
        raise DecodingError("this model has no cross-attention: name a --layer")
    else:
        save(drawn, output, head=head)


def draw_picture(look: "PictureLook", output: Path, *, layer: str | None = None, head: int | None = None) -> None:
    """A page of everything; or a picture: the rollout and every layer, heads of one layer or of all, one head."""
    from dataclasses import replace

    from saccade.errors import DecodingError
    from saccade.files import write_text
    from saccade.view.caption_page import caption_page
    from saccade.view.captioned import CaptionLook, WordLook
    from saccade.view.heatmap import check_picture, save_figure
    from saccade.view.overlay import draw_caption

    if head is not None and layer is None:
        raise DecodingError("--head is of one layer: name it with --layer")
    if output.suffix == ".html":
        write_text(output, caption_page([look.drawn()], title=f"{look.source}: {look.said}"))
        return
    check_picture(output)
    title, columns = f"{look.source}: {look.said}", WIDE
    if layer is None:
        shown = look.through_layers()
    elif layer == "all":
        heads = [look.heads(one.layer) for one in look.layers]
        columns = max(len(one.words) for one in heads)
        words = (replace(word, word=f"{one.captioner} {word.word}") for one in heads for word in one.words)
        shown = CaptionLook("", tuple(words))
    else:
        shown, title = look.heads(layer), f"{title}, {layer}"
        if head is not None:
            shown = CaptionLook("", (WordLook(f"head {head}", look.map(layer, head)),))
    figure = draw_caption(look.pixels_YX3, shown, columns=columns, plain=layer != "all", title=title)
    save_figure(figure, output)
