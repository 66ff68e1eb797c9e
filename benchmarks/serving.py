"""Serving: many clients at once against one at a time, and whether the service stays right and lean under them.

A transformer-small that was trained for a few minutes (or ``--run``) is served on loopback. 64 clients, each of which
asks again as soon as it is answered, send texts of mixed lengths for a minute; before that, one client does the same.
Told are requests per second and their ratio, latencies, every status, the service's memory after each thousand of ten
thousand requests, and how many answers equal those of ``saccade translate``.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import material
from measuring import keep

CLIENTS, SECONDS, REQUESTS = 64, 60.0, 10_000
EVERY = 1_000  # requests, after which memory is read
JOINED = (1, 1, 1, 1, 2, 4)  # sentences in a text
TEXTS = 600


@dataclass(frozen=True)
class Service:
    """A service in a process of its own."""

    host: str
    port: int
    model: str
    process: int


@dataclass
class Load:
    """What clients met."""

    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    answers: dict[str, set[str]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Client:
    """One connection that is kept open; as little work as possible, since it runs on the same machine."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def __aenter__(self) -> "Client":
        self.reader, self.writer = await asyncio.open_connection(self.service.host, self.service.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def translate(self, text: str) -> tuple[int, bytes]:
        body = json.dumps({"model": self.service.model, "input": text}).encode()
        head = f"POST /v1/translate HTTP/1.1\r\nHost: {self.service.host}\r\nContent-Type: application/json\r\n"
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length"))
        return int(lines[0].split()[1]), await self.reader.readexactly(length)


@dataclass
class Memory:
    """What a process holds, in MiB, after each thousand requests."""

    process: int
    requests: int = 0
    held: list[float] = field(default_factory=list)

    def answered(self) -> None:
        self.requests += 1
        if self.requests % EVERY == 0:
            status = Path(f"/proc/{self.process}/status").read_text()
            self.held.append(int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024)


async def put_under(
    service: Service, texts: list[str], memory: Memory, *, clients: int, seconds: float, requests: int = 0
) -> Load:
    """So many clients for so long, or until so many requests are answered, whichever is later."""
    load, began, asked = Load(), time.perf_counter(), 0

    async def one(number: int) -> None:
        nonlocal asked
        dice = random.Random(number)
        async with Client(service) as client:
            while time.perf_counter() - began < seconds or asked < requests:
                text = dice.choice(texts)
                asked += 1
                sent = time.perf_counter()
                status, body = await client.translate(text)
                load.latencies.append(time.perf_counter() - sent)
                load.statuses[status] += 1
                memory.answered()
                if status == 200:
                    load.answers.setdefault(text, set()).add(json.loads(body)["data"][0]["text"])

    await asyncio.gather(*(one(number) for number in range(clients)))
    load.seconds = time.perf_counter() - began
    return load


@contextmanager
def served(run: Path) -> Iterator[Service]:
    process = subprocess.Popen(
        [sys.executable, "-m", "saccade", "serve", str(run), "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    address = None
    for line in process.stderr or ():
        address = address or re.search(r"at http://([\d.]+):(\d+)/", line)
        if '"event": "ready"' in line:
            break
    if address is None:
        raise SystemExit(f"the service did not start: exit code {process.wait()}")
    draining = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
    try:
        yield Service(address[1], int(address[2]), run.name, process.pid)
    finally:
        process.terminate()
        process.wait(60)
        draining.wait(60)


def texts_of(run: Path) -> list[str]:
    """Sentences that the model was validated on, alone or several in one text."""
    from saccade.tasks.spool import read_spool

    lines = [pair.source for pair in read_spool(run / "data" / "valid.jsonl")]
    dice = random.Random(1)
    return [" ".join(dice.choices(lines, k=dice.choice(JOINED))) for _ in range(TEXTS)]


def offline(run: Path, texts: list[str]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "saccade", "translate", str(run)],
        input="\n".join(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split("\n")[: len(texts)]


def train(place: Path, data: Path | None, minutes: float) -> Path:
    run = place / "run"
    subprocess.run(
        [
            *(sys.executable, "-m", "saccade", "train", "transformer-small", "--run", str(run)),
            *material.overrides(data),
            *("data.max_length=60", f"train.budget={minutes} minutes", "train.batch_tokens=1024", "train.warmup=50"),
            *("train.validate_every=100 epochs", "train.valid_sentences=1"),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return run


def measure(run: Path, seconds: float, requests: int) -> dict[str, object]:
    texts = texts_of(run)
    with served(run) as service:
        memory = Memory(service.process)

        def under(clients: int, seconds: float, requests: int = 0) -> Load:
            return asyncio.run(put_under(service, texts, memory, clients=clients, seconds=seconds, requests=requests))

        warm = under(CLIENTS, 0, min(EVERY, requests))
        single = under(1, seconds / 2)
        many = under(CLIENTS, seconds)
        rest = under(CLIENTS, 0, max(CLIENTS, requests - memory.requests))
    known = dict(zip(texts, offline(run, texts), strict=True))
    loads = (warm, single, many, rest)
    pairs = [(known[text], found) for load in loads for text, answers in load.answers.items() for found in answers]
    statuses = sum((load.statuses for load in loads), Counter[int]())
    return {
        "benchmark": "serving",
        "clients": CLIENTS,
        "requests": sum(len(load.latencies) for load in loads),
        "per_second": {"one client": single.per_second, f"{CLIENTS} clients": many.per_second},
        "times": many.per_second / single.per_second,
        "seconds": {
            "one client": {"median": statistics.median(single.latencies), "p99": single.quantile(0.99)},
            f"{CLIENTS} clients": {"median": statistics.median(many.latencies), "p99": many.quantile(0.99)},
        },
        "statuses": {str(status): count for status, count in statuses.items()},
        "server_errors": sum(count for status, count in statuses.items() if status >= 500),
        "memory_mib": memory.held,
        "equal_to_offline": sum(one == other for one, other in pairs) / max(1, len(pairs)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of Multi30k; without it, scenes")
    parser.add_argument("--run", type=Path, help="a translator to serve, instead of training one")
    parser.add_argument("--minutes", type=float, default=3, help="how long that is trained")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long many clients ask")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="in all, for the memory")
    parser.add_argument("--json", type=Path, help="keep the result here")
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="saccade-bench-") as place:
        run = asked.run or train(Path(place), asked.data, asked.minutes)
        result = measure(run, asked.seconds, asked.requests)
    print(json.dumps(result, indent=2))
    keep(asked.json, result)


if __name__ == "__main__":
    main()
