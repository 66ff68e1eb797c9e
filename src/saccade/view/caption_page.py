"""Captioned pictures as one HTML page: point at a word, or step to it, and see where its captioner looked."""

from collections.abc import Sequence
from html import escape

import numpy as np

from saccade.errors import ModelError
from saccade.view.address import picture_address
from saccade.view.captioned import CaptionedPicture, CaptionLook, checked_look
from saccade.view.document import COMPONENT_SCRIPTS, COMPONENT_STYLES, document, json_for_script
from saccade.view.packing import packed
from saccade.view.weights import visible


def caption_page(pictures: Sequence[CaptionedPicture], *, title: str) -> str:
    """A self-contained page. Several captioners of one picture stand side by side. Texts are never markup."""
    if not pictures:
        raise ModelError("there is no captioned picture to show: give at least one")
    body = f"<h1>{escape(title)}</h1>\n" + "\n".join(caption_section(picture) for picture in pictures)
    return document(title=title, body=body, styles=COMPONENT_STYLES, scripts=COMPONENT_SCRIPTS)


def caption_section(picture: CaptionedPicture) -> str:
    """The component alone, for a page that has `COMPONENT_STYLES` and `COMPONENT_SCRIPTS`."""
    data = {"captions": [_data(caption) for caption in picture.captions]}
    address = picture_address(picture.pixels_YX3)
    figures = "".join(
        _figure(caption, address if caption.pixels_YX3 is None else picture_address(caption.pixels_YX3))
        for caption in picture.captions
    )
    note = f'<p class="quiet">{escape(picture.note)}</p>' if picture.note else ""
    name = escape(picture.name)
    return (
        f'<section class="captioned" aria-label="{escape(picture.name, quote=True)}">'
        f'<script type="application/json">{json_for_script(data)}</script>'
        f'<h3>{name}</h3>{note}<div class="side">{figures}</div></section>'
    )


def _figure(caption: CaptionLook, address: str) -> str:
    """Without script it is the picture with its caption; the script makes the words buttons."""
    words = " ".join(f'<span class="word">{escape(visible(look.word))}</span>' for look in caption.words)
    name = f'<span class="by">{escape(caption.captioner)}</span>' if caption.captioner else ""
    alt = escape(f"captioned: {caption.text}", quote=True)
    return (
        f'<figure><div class="frame"><img src="{address}" alt="{alt}"><canvas hidden></canvas></div>'
        f'<figcaption>{name}<span class="said">{words or "(nothing)"}</span>'
        '<span class="peak" aria-live="polite"></span></figcaption></figure>'
    )


def _data(caption: CaptionLook) -> dict[str, object]:
    """The words' grids one behind the other; all of one caption have the same number of rows and columns."""
    grids = [checked_look(look) for look in caption.words]
    if len({grid_HW.shape for grid_HW in grids}) > 1:
        raise ModelError(
            f'the words of "{caption.text}" have attention grids of different sizes: give one size a caption'
        )
    rows, columns = grids[0].shape if grids else (0, 0)
    return {
        "words": [visible(look.word) for look in caption.words],
        "boxes": [[[box.left, box.top, box.right, box.bottom] for box in look.boxes] for look in caption.words],
        "open": caption.open,
        "rows": rows,
        "columns": columns,
        **(packed(np.stack(grids)) if grids else {"scale": 1.0, "weights": ""}),
    }
