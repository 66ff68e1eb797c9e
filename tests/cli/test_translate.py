import json
import os
import shutil
from pathlib import Path

import pytest
import torch

from command import command, process, refused
from saccade.evaluation.results import read_results
from saccade.runs import Run, load
from saccade.training.storage import save_tensors
from saccade.training.weights import weights_of

LINES = ["a red circle is left of two blue squares", "", "two big dogs", "  ", "the woman wears a white jacket"]


def test_as_a_pipe(translator: Path, run: Run, tmp_path: Path) -> None:
    done = process("translate", str(translator), cwd=tmp_path, stdin="\n".join(LINES).encode())
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.decode().split("\n") == [*(one.text for one in run.translate(LINES)), ""]


def test_from_file_to_file_with_windows_line_ends(translator: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes("\r\n".join(LINES).encode() + b"\r\n")
    files = ("--input", str(tmp_path / "in.txt"), "--output", str(tmp_path / "out.txt"))
    done = command("translate", str(translator), *files, "--beam", "1")
    assert done.exit_code == 0
    assert done.stdout == ""
    expected = [one.text for one in run.translate(LINES, beam=1)]
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").splitlines() == expected


def test_a_file_may_be_translated_into_itself(translator: Path, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "both.txt"
    file.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    done = command("translate", str(translator), "--input", str(file), "--output", str(file), "--beam", "1")
    assert done.exit_code == 0, done.stderr
    assert file.read_text(encoding="utf-8").splitlines() == [one.text for one in run.translate(LINES, beam=1)]


def test_what_was_written_before_stays_until_all_is_done(translator: Path, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("before", encoding="utf-8")
    (tmp_path / "in.txt").write_bytes(b"two dogs\nth\xffree dogs\n")
    for wrong, why in (("gone.txt", "no such file"), ("in.txt", "not UTF-8")):
        files = ("--input", str(tmp_path / wrong), "--output", str(tmp_path / "out.txt"))
        assert why in refused("translate", str(translator), *files)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in.txt", "out.txt"]
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "before"


def test_a_device_is_written_to_and_not_replaced(translator: Path) -> None:
    done = command("translate", str(translator), "--output", os.devnull, "--beam", "1", stdin="two big dogs\n")
    assert done.exit_code == 0, done.stderr
    assert not Path(os.devnull).is_file()


def test_nothing_in_nothing_out(translator: Path) -> None:
    assert command("translate", str(translator), stdin="").stdout == ""


def test_only_a_line_feed_ends_a_line(translator: Path) -> None:
    done = command("translate", str(translator), stdin="two big\u2028dogs\x0bare\u0085here\n")
    assert done.stdout.count("\n") == 1


def test_nbest_with_scores(translator: Path, run: Run) -> None:
    done = command("translate", str(translator), "--nbest", "3", stdin="two big dogs\n\n")
    lines = done.stdout.splitlines()
    found = run.translate("two big dogs", nbest=3).candidates
    assert [line.split("\t")[1] for line in lines] == [*(one.text for one in found), ""]
    scores = [float(line.split("\t")[0]) for line in lines[:3]]
    assert scores == sorted(scores, reverse=True)
    cut = command("translate", str(translator), "--nbest", "2", "--max-length", "2", stdin=f"{LINES[0]}\n")
    assert cut.stdout.count("  [unfinished]\n") == 2


def test_as_json(translator: Path, run: Run) -> None:
    done = command("translate", str(translator), "--json", "--nbest", "2", stdin="\n".join(LINES))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["source"] for row in rows] == LINES
    assert [row["candidates"][0]["text"] for row in rows] == [one.text for one in run.translate(LINES)]
    assert rows[0]["candidates"][0].keys() == {"text", "score", "finished"}
    assert [len(row["candidates"]) for row in rows] == [2, 1, 2, 1, 2]


def test_unknown_words_are_replaced(translator: Path, tmp_path: Path) -> None:
    silent = load(shutil.copytree(translator, tmp_path / "silent"))
    with torch.no_grad():  # it writes nothing but <unk>
        silent.model.decoder.norm.weight.zero_()
        silent.model.decoder.norm.bias.fill_(1.0)
        silent.model.output.weight[silent.tokenizers.target.unk_id] = 10.0
    save_tensors(silent.folder.model, weights_of(silent.model))
    arguments = ("translate", str(silent.folder.path), "--max-length", "3")
    assert command(*arguments, stdin="two big dogs").stdout == "<unk> <unk> <unk>\n"
    found = command(*arguments, "--replace-unknown", stdin="two big dogs\nNabucco").stdout.splitlines()
    assert set(found[0].split()) <= {"two", "big", "dogs"}
    assert found[1] == "Nabucco Nabucco Nabucco"
    assert command("evaluate", str(silent.folder.path), "--replace-unknown", "--beam", "1").exit_code == 0
    assert read_results(silent.folder.path)[-1]["decode"]["replace_unknown"]


def test_an_engine_that_does_not_show_its_attention(translator: Path) -> None:
    told = refused("translate", str(translator), "--engine", "ctranslate2", "--replace-unknown", stdin="two")
    assert "CTranslate2 does not tell where its model looked, so that unknown words cannot be replaced" in told
    assert "decode with Saccade, or with --no-replace-unknown" in told


def test_an_ensemble(translator: Path, tuned: Path) -> None:
    done = command("translate", str(translator), str(tuned), stdin="two big dogs\n")
    assert done.exit_code == 0
    assert done.stdout.strip()


def test_bytes_that_are_not_text(translator: Path, tmp_path: Path) -> None:
    message = refused("translate", str(translator), stdin=b"two dogs\nth\xffree dogs\n")
    assert message == "saccade: standard input:2: not UTF-8 (byte 0xff at 2)\n"
    (tmp_path / "in.txt").write_bytes(b"\xfe\xff")
    assert "in.txt:1: not UTF-8 (byte 0xfe at 0)" in refused(
        "translate", str(translator), "--input", str(tmp_path / "in.txt")
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--beam", "0"], "decode.beam is at least 1, got 0"),
        (["--nbest", "9"], "decode.nbest is between 1 and decode.beam (5), got 9"),
        (["--max-length", "0"], "decode.max_length is at least 1, got 0"),
        (["--length-penalty", "-1"], "decode.length_penalty is at least 0, got -1.0"),
        (["--input", "gone.txt"], "gone.txt: no such file"),
    ],
)
def test_settings_out_of_bounds(translator: Path, wrong: list[str], message: str) -> None:
    assert refused("translate", str(translator), *wrong, stdin="two big dogs\n") == f"saccade: {message}\n"


def test_runs_that_cannot_be_opened(translator: Path, tmp_path: Path) -> None:
    near = translator.parent / "translater"
    assert refused("translate", str(near)) == f"saccade: {near}: no such run folder (did you mean {translator}?)\n"
    (tmp_path / "other").mkdir()
    assert "other is not a whole run folder: run.json is missing" in refused("translate", str(tmp_path / "other"))

    run = tmp_path / "copy"
    shutil.copytree(translator, run)
    weights = bytearray((run / "model.safetensors").read_bytes())
    weights[-1000] ^= 4
    (run / "model.safetensors").write_bytes(weights)
    message = f"saccade: {run}/model.safetensors is damaged: its contents do not agree with their checksum\n"
    assert refused("translate", str(run)) == message
    (run / "model.safetensors").write_bytes(weights[:5000])
    assert "model.safetensors is damaged or only half written" in refused("translate", str(run))
    (run / "model.safetensors").unlink()
    assert refused("translate", str(run)) == (
        f"saccade: {run} has no trained weights yet: go on with `saccade resume {run}`\n"
    )
    (run / "run.json").write_text('{"format": 2}')
    assert f"{run} was written in run format 2, this Saccade" in refused("translate", str(run))
    (run / "run.json").unlink()
    assert "is not a whole run folder" in refused("translate", str(run))


def test_models_that_do_not_write_alike(translator: Path, tmp_path: Path) -> None:
    from command import SMALL
    from tasks.parts import many_pairs, write_pairs

    pairs = write_pairs(tmp_path / "pairs.tsv", many_pairs(60))
    other = str(tmp_path / "other")
    done = command("train", "transformer-tiny", f"data.train={pairs}", *SMALL, "train.budget=1 step", "--run", other)
    assert done.exit_code == 0, done.stderr
    message = refused("translate", str(translator), other, stdin="two dogs\n")
    assert "models of an ensemble must write with the same target tokenizer" in message
