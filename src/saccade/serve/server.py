"""The server around the application: takes requests until it is told to stop, and then finishes those it took."""

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from saccade.errors import ServiceError
from saccade.serve.logs import Log, Passed

SIGNALS = (signal.SIGINT, signal.SIGTERM)
BACKLOG = 1024


class Server(uvicorn.Server):
    """Ends quietly after a signal: to stop a service is no failure. A second signal does not wait any longer."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield  # other threads get no signals: somebody else says when to stop
            return
        loop = asyncio.get_running_loop()
        for one in SIGNALS:
            loop.add_signal_handler(one, self.handle_exit, one, None)
        try:
            yield
        finally:
            for one in SIGNALS:
                loop.remove_signal_handler(one)


def listening(host: str, port: int) -> socket.socket:
    """A socket for the server, taken before anything long is begun; port 0 is any that is free."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ServiceError(
            f"cannot listen at {host}, port {port}: {error.strerror or error}; take another with --host or --port"
        ) from error


def make_server(app: ASGIApp, log: Log) -> Server:
    """Give ``run`` the sockets to listen at."""
    for name in ("uvicorn", "asyncio"):
        logging.getLogger(name).addHandler(Passed(log))
    return Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False))
