import io
import json
import logging

from saccade.serve.logs import Log, Passed


def test_one_json_object_a_line() -> None:
    out = io.StringIO()
    Log(out).say("request", status=200, model="démo\n", ms=1.5)
    (line,) = out.getvalue().splitlines()
    found = json.loads(line)
    assert found.pop("time").endswith("+00:00")
    assert found == {"event": "request", "status": 200, "model": "démo\n", "ms": 1.5}


def test_of_an_error_its_type_and_place_are_told_but_not_its_message() -> None:
    out = io.StringIO()
    try:
        raise KeyError("a secret text")
    except KeyError as error:
        Log(out).failure("failure", error, model="demo")
    found = json.loads(out.getvalue())
    assert (found["event"], found["error"], found["model"]) == ("failure", "KeyError", "demo")
    assert found["where"][0].startswith("test_logs.py:")
    assert "secret" not in out.getvalue()


def test_libraries_log_in_the_same_form() -> None:
    out = io.StringIO()
    logger = logging.Logger("library")
    logger.addHandler(Passed(Log(out)))
    logger.info("never mind")
    logger.warning("odd %s", "thing")
    try:
        raise ValueError("a secret text")
    except ValueError:
        logger.exception("broken")
    warned, broken = map(json.loads, out.getvalue().splitlines())
    assert (warned["event"], warned["level"], warned["message"]) == ("library", "warning", "odd thing")
    assert (broken["event"], broken["error"]) == ("library", "ValueError")
    assert "secret" not in out.getvalue()
