"""Examples and a parser for the tests of this room."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

import torch

from saccade.attention.seen import Attended

ENGLISH = ("The", "European", "Economic", "Area", "was", "signed", ".")
FRENCH = ("la", "zone", "économique", "européenne", "a", "été", "signée", ".")


@dataclass
class Parsed(HTMLParser):
    """What a browser would make of a page, as far as the tests ask."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    data_scripts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)
        self._into = self.texts

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag == "script":
            self._into = self.data_scripts if ("type", "application/json") in attrs else self.scripts
        elif tag == "style":
            self._into = self.styles

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._into = self.texts

    def handle_data(self, data: str) -> None:
        self._into.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def parse(html: str) -> Parsed:
    parsed = Parsed()
    parsed.feed(html)
    parsed.close()
    return parsed


def attended(
    layer: str = "decoder.2.cross",
    *,
    heads: int = 4,
    queries: tuple[str, ...] = FRENCH,
    keys: tuple[str, ...] = ENGLISH,
    seed: int = 0,
) -> Attended:
    generator = torch.Generator().manual_seed(seed)
    scores_HQK = torch.randn(heads, len(queries), len(keys), generator=generator) * 2
    return Attended(layer, scores_HQK.softmax(dim=-1), queries, keys)
