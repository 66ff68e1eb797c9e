"""What is written in a format is read back equal, whatever the text."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.sources import read_pairs

Texts = list[tuple[str, str]]

SOLID = ("begin", "Anfang")  # a first pair with text, so that the others may be blank
AWKWARD = st.sampled_from(
    ["\u2028", "\x85", "\x0b", "\x1c", '"', "\\", "'", ",", "<b>", "&amp;", "{", "e\u0301", "🙂", " "]
)


def texts(without: str, *, may_end_in_return: bool = True) -> st.SearchStrategy[Texts]:
    """Pairs of any text but for some characters; surrogates and NUL are no text in any format."""
    character = st.characters(exclude_categories=["Cs"], exclude_characters=f"\0\ufeff{without}")
    side = (
        st.lists(character | AWKWARD, max_size=12)
        .map("".join)
        .map(lambda text: "".join(c for c in text if c not in without))
    )
    if not may_end_in_return:
        side = side.map(lambda text: text.rstrip("\r"))
    return st.lists(st.tuples(side, side), max_size=6).map(lambda pairs: [SOLID, *pairs])


XML_FORBIDDEN = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF]))


def write_tsv(pairs: Texts) -> bytes:
    return "".join(f"{source}\t{target}\n" for source, target in pairs).encode()


def write_csv(pairs: Texts) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(pairs)
    return out.getvalue().encode()


def write_jsonl(pairs: Texts) -> bytes:
    records = ({"source": source, "target": target} for source, target in pairs)
    return "".join(json.dumps(record, ensure_ascii=len(pairs) % 2 == 0) + "\n" for record in records).encode()


def write_parquet(pairs: Texts) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"source": [s for s, _ in pairs], "target": [t for _, t in pairs]}), out, row_group_size=2)
    return out.getvalue()


def write_tmx(pairs: Texts) -> bytes:
    def variant(language: str, text: str) -> str:
        return f'<tuv xml:lang="{language}"><seg>{escape(text, {chr(13): "&#13;"})}</seg></tuv>'

    units = (f"<tu>{variant('source', source)}{variant('target', target)}</tu>\n" for source, target in pairs)
    return f'<tmx version="1.4"><body>{"".join(units)}</body></tmx>'.encode()


def write_po(pairs: Texts) -> bytes:
    def quoted(text: str) -> str:
        """One string a line of text, as gettext's own tools write."""
        text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\r", "\\r")
        return "\n".join(f'"{part}"' for part in text.replace("\n", "\\n\n").split("\n"))

    messages = (f'msgctxt "{n}"\nmsgid {quoted(s)}\nmsgstr {quoted(t)}\n\n' for n, (s, t) in enumerate(pairs))
    return "".join(messages).encode()


def check(suffix: str, written: bytes, expected: Texts, **names: str) -> None:
    with TemporaryDirectory() as folder:
        for name, content in {f"a{suffix}": written, f"b{suffix}.gz": gzip.compress(written, 1)}.items():
            Path(folder, name).write_bytes(content)
            assert [(p.source, p.target) for p in read_pairs(name, base=Path(folder), **names)] == expected


@pytest.mark.property
@settings(max_examples=60)
@given(texts("\n", may_end_in_return=False))
def test_parallel(pairs: Texts) -> None:
    with TemporaryDirectory() as folder:
        for side, name in enumerate(("a.en", "a.de")):
            Path(folder, name).write_bytes("".join(pair[side] + "\r\n" for pair in pairs).encode())
        assert [(p.source, p.target) for p in read_pairs("a.{en,de}", base=Path(folder))] == pairs


@pytest.mark.property
@pytest.mark.parametrize(
    ("suffix", "writer", "without"),
    [
        (".csv", write_csv, ""),
        (".jsonl", write_jsonl, ""),
        (".parquet", write_parquet, ""),
        (".tmx", write_tmx, XML_FORBIDDEN),
    ],
    ids=["csv", "jsonl", "parquet", "tmx"],
)
def test_formats_that_hold_any_text(suffix: str, writer: Callable[[Texts], bytes], without: str) -> None:
    @settings(max_examples=60)
    @given(texts(without))
    def round_trip(pairs: Texts) -> None:
        names = {"source": "source", "target": "target"}
        check(suffix, writer(pairs), pairs, **names)

    round_trip()


@pytest.mark.property
@settings(max_examples=60)
@given(texts("\n\t", may_end_in_return=False))
def test_tsv(pairs: Texts) -> None:
    check(".tsv", write_tsv(pairs), pairs)


@pytest.mark.property
@settings(max_examples=60)
@given(texts(""))
def test_po_keeps_what_is_translated(pairs: Texts) -> None:
    check(".po", write_po(pairs), [(source, target) for source, target in pairs if target])
