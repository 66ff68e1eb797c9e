"""The official layouts of GLUE, with sentences of our own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from saccade.data.sources import GLUE_TASKS, glue_task, read_labelled
from saccade.errors import DataError

Write = Callable[[str, str | bytes], Path]

MNLI = "index promptID pairID genre sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse"
STSB = "index genre filename year old_index source1 source2 sentence1 sentence2"
MRPC_IDS = "#1 ID|#2 ID|#1 String|#2 String"


def table(*rows: str) -> str:
    return "".join(row.replace("|", "\t") + "\n" for row in rows)


# task, split, the file's place under the folder of all tasks, its header and one row, and what is read from them
FILES = [
    ("cola", "train", "CoLA/train.tsv", ["ab12|1||Birds sing."], ("Birds sing.", None, "1")),
    ("cola", "valid", "CoLA/dev.tsv", ["ab12|0|*|Birds sings."], ("Birds sings.", None, "0")),
    ("cola", "test", "CoLA/test.tsv", ["index|sentence", "0|Birds sing."], ("Birds sing.", None, None)),
    ("sst-2", "train", "SST-2/train.tsv", ["sentence|label", 'a fine " tale |1'], ('a fine " tale ', None, "1")),
    ("sst-2", "test", "SST-2/test.tsv", ["index|sentence", "0|a tale"], ("a tale", None, None)),
    ("mrpc", "valid", "MRPC/dev.tsv", [f"\ufeffQuality|{MRPC_IDS}", '1|7|8|" One .|One .'], ('" One .', "One .", "1")),
    ("mrpc", "test", "MRPC/test.tsv", [f"index|{MRPC_IDS}", "0|7|8|One|Two"], ("One", "Two", None)),
    (
        "sts-b",
        "train",
        "STS-B/train.tsv",
        [f"{STSB} score".replace(" ", "|"), "0|a|b|c|d|none|none|One.|Two.|3.800"],
        ("One.", "Two.", "3.800"),
    ),
    ("sts-b", "test", "STS-B/test.tsv", [STSB.replace(" ", "|"), "0|a|b|c|d|e|f|One|Two"], ("One", "Two", None)),
    (
        "qqp",
        "train",
        "QQP/train.tsv",
        ["id|qid1|qid2|question1|question2|is_duplicate", "0|1|2|Why?|How?|0"],
        ("Why?", "How?", "0"),
    ),
    ("qqp", "test", "QQP/test.tsv", ["id|question1|question2", "0|Why?|How?"], ("Why?", "How?", None)),
    (
        "mnli",
        "train",
        "MNLI/train.tsv",
        [
            f"{MNLI} sentence1 sentence2 label1 gold_label".replace(" ", "|"),
            "0|a|b|c|d|e|f|g|One|Two|neutral|entailment",
        ],
        ("One", "Two", "entailment"),
    ),
    (
        "mnli",
        "valid",
        "MNLI/dev_matched.tsv",
        [
            f"{MNLI} sentence1 sentence2 label1 label2 label3 label4 label5 gold_label".replace(" ", "|"),
            "0|a|b|c|d|e|f|g|One|Two|neutral|neutral|neutral|neutral|entailment|neutral",
        ],
        ("One", "Two", "neutral"),
    ),
    (
        "mnli-mm",
        "test",
        "MNLI/test_mismatched.tsv",
        [f"{MNLI} sentence1 sentence2".replace(" ", "|"), "0|a|b|c|d|e|f|g|One|Two"],
        ("One", "Two", None),
    ),
    ("qnli", "valid", "QNLI/dev.tsv", ["index|question|sentence|label", "0|Q|S|entailment"], ("Q", "S", "entailment")),
    ("rte", "train", "RTE/train.tsv", ["index|sentence1|sentence2|label", "0|A|B|x"], ("A", "B", "x")),
    ("wnli", "test", "WNLI/test.tsv", ["index|sentence1|sentence2", "0|A|B"], ("A", "B", None)),
    ("ax", "test", "AX/diagnostic.tsv", ["index|sentence1|sentence2", "0|A|B"], ("A", "B", None)),
    ("ax", "test", "diagnostic/diagnostic.tsv", ["index|sentence1|sentence2", "0|A|B"], ("A", "B", None)),
]


@pytest.mark.parametrize(
    ("task", "split", "place", "rows", "expected"), FILES, ids=[f"{one[0]}-{one[2]}" for one in FILES]
)
def test_official_layouts(
    task: str, split: str, place: str, rows: list[str], expected: tuple[str, str | None, str | None], write: Write
) -> None:
    write(f"glue/{place}", table(*rows))
    own_folder = str(Path("glue") / Path(place).parent)
    for spec in (f"glue:{task}:glue", f"glue:{task}:{own_folder}", f"glue:{task}:glue/{place}"):
        (found,) = read_labelled(spec, split=split)
        assert (found.text, found.second, found.label) == expected
        assert found.where == f"glue/{place}:{len(rows)}"


def test_every_task_has_a_layout_that_is_tested() -> None:
    assert {task for task, *_ in FILES} == set(GLUE_TASKS)


def test_the_two_halves_of_mnli(write: Write) -> None:
    for kind in ("matched", "mismatched"):
        write(f"MNLI/dev_{kind}.tsv", table("sentence1|sentence2|gold_label", f"{kind}|B|neutral"))
    texts = [next(read_labelled(f"glue:{task}:MNLI", split="valid")).text for task in ("mnli", "mnli-m", "mnli-mm")]
    assert texts == ["matched", "matched", "mismatched"]


def test_broken_rows_of_qqp_are_left_out_of_training_only(write: Write) -> None:
    rows = ["id|qid1|qid2|question1|question2|is_duplicate", "0|1|2|Why|", "not?|1", "1|3|4||Who?|1", "2|5|6|A?|B?|0"]
    write("QQP/train.tsv", table(*rows))
    stream = read_labelled("glue:qqp:QQP")
    assert [(example.text, example.second, example.label) for example in stream] == [
        ("", "Who?", "1"),
        ("A?", "B?", "0"),
    ]
    assert stream.skipped == {"broken rows": 2}
    write("QQP/test.tsv", table("id|question1|question2", "0|Why", "not?|How?"))
    with pytest.raises(DataError, match=r"QQP/test.tsv:2: 2 columns, expected 3"):
        list(read_labelled("glue:qqp:QQP", split="test"))


def test_names_are_written_in_many_ways() -> None:
    assert {glue_task(name).name for name in ("SST-2", "sst2", "sst_2")} == {"sst-2"}
    assert glue_task("STSB").labels == ()
    assert glue_task("mnli").labels == ("entailment", "neutral", "contradiction")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("glue:sst-2", r"glue:sst-2: expected glue:TASK:FOLDER or glue:TASK:FILE, as in glue:sst-2:glue/SST-2"),
        ("glue:sst-3:glue", r'there is no GLUE task "sst-3" \(did you mean sst-2\?\); there are: cola, sst-2, mrpc'),
        ("glue:rte:glue", r"glue:rte: no file for train: looked for glue/train.tsv and glue/RTE/train.tsv"),
        ("glue:ax:glue", r"glue:ax has no labels, and so no file for train, only for test: name another task"),
        ("glue:rte:gone", r"gone: no such file"),
        ("glue:rte:glue/odd.tsv", r'odd.tsv:1: no column or key "sentence2" .* \(there are: index, sentence1, label\)'),
        ("glue:cola:glue/short.tsv", r'short.tsv:1: no column or key "4" \(there are: 1, 2\)'),
    ],
)
def test_bad_specifications(spec: str, message: str, write: Write) -> None:
    write("glue/odd.tsv", table("index|sentence1|label", "0|A|B"))
    write("glue/short.tsv", table("A|1"))
    with pytest.raises(DataError, match=message):
        list(read_labelled(spec))
