"""API keys: who may ask. Compared in a time that tells nothing of how much of a key was right."""

from hashlib import sha256
from hmac import compare_digest
from pathlib import Path

from saccade.errors import ServiceError
from saccade.serve.refusals import Unauthorised

LEAST = 8  # characters


class Keys:
    """The keys that are let in; without any, everybody is."""

    def __init__(self, keys: tuple[str, ...] = ()) -> None:
        self._digests = [_digest(key) for key in keys]

    @classmethod
    def read(cls, path: Path) -> "Keys":
        """One key a line; empty lines and those that begin with # are none."""
        if not path.is_file():
            raise ServiceError(f"{path}: there is no such file of API keys")
        lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
        keys = tuple(line for line in lines if line and not line.startswith("#"))
        if not keys:
            raise ServiceError(f"{path}: no API key in it: write one a line, or leave --api-key-file out")
        if short := next((key for key in keys if len(key) < LEAST), None):
            raise ServiceError(f"{path}: a key of {len(short)} characters can be guessed: make it {LEAST} or more")
        return cls(keys)

    def check(self, given: str | None) -> None:
        """Refuses whoever has no key; every key is compared, whichever fits."""
        if not self._digests:
            return
        if given is None:
            raise Unauthorised("this service wants an API key: send the header `Authorization: Bearer KEY`")
        found = _digest(given)
        if not sum(compare_digest(found, known) for known in self._digests):
            raise Unauthorised("this API key is not known here")


def bearer(header: str | None) -> str | None:
    """The key in ``Authorization: Bearer KEY``."""
    scheme, _, key = (header or "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key.strip() else None


def _digest(key: str) -> bytes:
    """Of equal length for keys of any length."""
    return sha256(key.encode("utf-8", "surrogateescape")).digest()
