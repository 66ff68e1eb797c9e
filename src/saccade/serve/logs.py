"""Structured logs: one JSON object a line on standard error. What users write never stands in them."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from threading import Lock
from typing import TextIO

Value = str | int | float | bool | None | list[str]


class Passed(logging.Handler):
    """What libraries log, in the same form; of an error its type alone."""

    def __init__(self, log: "Log") -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self._log.failure(record.name, error)
        else:
            self._log.say(record.name, level=record.levelname.lower(), message=record.getMessage())


class Log:
    """``log.say("request", status=200, …)``."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._lock = Lock()

    def say(self, event: str, **fields: Value) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "event": event, **fields}, ensure_ascii=True)
        with self._lock:
            print(line, file=self._stream or sys.stderr, flush=True)

    def failure(self, event: str, error: BaseException, **fields: Value) -> None:
        """An error of ours: its type and where it was met. Its message may hold a user's text and is left out."""
        places = [
            f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        self.say(event, error=type(error).__name__, where=places, **fields)
