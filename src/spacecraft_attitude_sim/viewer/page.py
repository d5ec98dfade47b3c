# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The web page: Rerun's viewer and its data, served only to this machine.

Rerun's server runs as a child process. A small relay between it and the browser gives the page a
short address and a Content-Security-Policy. The page may connect only to the relay; otherwise it
would fetch a font and send usage statistics. The data go through the relay as well, because
Rerun's server does not check the origin of a request. That server listens at a random loopback
address, so that a page of another site does not find it.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import rerun_cli

from spacecraft_attitude_sim.safety import child
from spacecraft_attitude_sim.viewer.errors import ViewError

if TYPE_CHECKING:
    from collections.abc import Mapping


HOST = '127.0.0.1'
START_SECONDS = 20.0
END_SECONDS = 5.0
# Longest time for Rerun's server to answer the relay.
ANSWER_SECONDS = 10.0
# The only accepted host names, against DNS rebinding.
NAMES = (HOST, 'localhost')
HTTP_PORT = 80
POLICY = (
    "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' data: blob:; "
    "connect-src 'self' data: blob:; frame-ancestors 'none'"
)
# Path of the gRPC-Web requests for data, and the headers that the relay forwards.
SERVICE = '/rerun.'
ASKED = ('Content-Type', 'Accept', 'X-Grpc-Web', 'X-User-Agent', 'Grpc-Timeout', 'Rerun-Version')
ANSWERED = ('Content-Type', 'Grpc-Status', 'Grpc-Message', 'Rerun-Version', 'rerun-final-length')
LONGEST_QUESTION = 1 << 20
PIECE = 1 << 16


class Page:
    """Serves the viewer until closed.

    port: TCP port of the page;  memory: most data kept for browsers, such as 512MB
    url: of the page;  sink: URL to which the SDK sends its data
    Raises ViewError if the port is taken or Rerun does not start.
    """

    def __init__(self, port: int, memory: str) -> None:
        self.url = f'http://localhost:{port}'
        hidden = _hidden_host()
        data_port, viewer_port = _free_ports(hidden)
        self.sink = f'rerun+http://{hidden}:{data_port}/proxy'
        try:
            self._relay = _Relay((HOST, port), (hidden, data_port), (hidden, viewer_port))
        except OSError as error:
            raise ViewError(
                f'port {port} cannot be used: {error.strerror}; name another with --port'
            ) from None
        self._rerun = _start_rerun(hidden, data_port, viewer_port, memory)
        try:
            self._await_start((hidden, viewer_port))
        except ViewError:
            self.close()
            raise
        threading.Thread(target=self._relay.serve_forever, daemon=True).start()
        self._serving = True

    _serving = False

    def close(self) -> None:
        """End the servers."""
        if self._serving:
            self._relay.shutdown()
        self._relay.server_close()
        self._rerun.terminate()
        try:
            self._rerun.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._rerun.kill()
            self._rerun.wait()

    def _await_start(self, address: tuple[str, int]) -> None:
        limit = time.monotonic() + START_SECONDS
        while time.monotonic() < limit:
            if self._rerun.poll() is not None:
                raise ViewError(f'rerun ended with status {self._rerun.returncode}')
            with socket.socket() as probe:
                if probe.connect_ex(address) == 0:
                    return
            time.sleep(0.05)
        raise ViewError(f'rerun did not start within {START_SECONDS:g} s')


def _hidden_host() -> str:
    """Return a random loopback address, that a page of another site does not find.

    On macOS, which has one, the ports alone are random.
    """
    if sys.platform == 'darwin':
        return HOST
    return '127.' + '.'.join(str(1 + secrets.randbelow(254)) for _ in range(3))


def _free_ports(host: str) -> tuple[int, int]:
    """Return two free ports of an address, bound at the same time so that they differ."""
    with socket.socket() as one, socket.socket() as other:
        for probe in (one, other):
            probe.bind((host, 0))
        return one.getsockname()[1], other.getsockname()[1]


def _start_rerun(
    host: str, data_port: int, viewer_port: int, memory: str
) -> subprocess.Popen[bytes]:
    program = Path(rerun_cli.__file__).parent / 'rerun'
    command: list[str | Path] = [
        program, '--serve-web', '--bind', host, '--port', str(data_port),
        '--web-viewer-port', str(viewer_port), '--server-memory-limit', memory,
    ]  # fmt: skip
    # CI=1 switches Rerun's telemetry off without changing the user's settings.
    environment = dict(os.environ, CI='1', RUST_LOG='error')
    # In a separate session, so that Ctrl-C does not end it before all data are sent.
    return child.start(command, apart=True, env=environment, stdout=subprocess.DEVNULL)


def hosts_at(port: int) -> list[str]:
    """Return the accepted values of the header Host; browsers leave out port 80."""
    return [f'{name}:{port}' for name in NAMES] + list(NAMES) * (port == HTTP_PORT)


class _Relay(ThreadingHTTPServer):
    """Forwards requests of the browser to Rerun's servers.

    data, viewer: their (host, port)
    """

    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], data: tuple[str, int], viewer: tuple[str, int]
    ) -> None:
        super().__init__(address, _Handler)
        self.data, self.viewer = data, viewer
        self.hosts = hosts_at(address[1])

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any
    ) -> None:
        """Do not print that a browser closed its connection."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Relay

    def do_GET(self) -> None:  # noqa: N802 (the name http.server calls)
        """Answer a request for the page or a file of the viewer."""
        if not self._comes_from_here():
            return
        if self.path == '/':
            data = quote(f'rerun+http://{self.headers["Host"]}/proxy', safe='')
            self.send_response(302)
            self.send_header('Location', f'/?url={data}&hide_welcome_screen&persist=0')
            self.send_header('Content-Length', '0')
            self.end_headers()
        else:
            self._hand_on(self.server.viewer, 'GET', self.path.partition('?')[0])

    def do_POST(self) -> None:  # noqa: N802
        """Answer a request for data, by gRPC-Web."""
        if not self._comes_from_here(needs_origin=True):
            return
        length = self.headers.get('Content-Length', '')
        if not self.path.startswith(SERVICE):
            self.send_error(404)
        elif not length.isdecimal() or int(length) > LONGEST_QUESTION:
            self.send_error(413)
        else:
            asked = {name: self.headers[name] for name in ASKED if name in self.headers}
            question = self.rfile.read(int(length))
            self._hand_on(self.server.data, 'POST', self.path, question, asked)

    def _comes_from_here(self, needs_origin: bool = False) -> bool:
        """Return whether our own page sent the request; answer 403 to other hosts or origins.

        Another site can make its name resolve to this machine (DNS rebinding), but it cannot
        change the headers Host and Origin.
        """
        host, origin = self.headers.get('Host', ''), self.headers.get('Origin')
        if host not in self.server.hosts:
            self.send_error(403, f'Ask for {self.server.hosts[1]}')
        elif origin != f'http://{host}' and (origin or needs_origin):
            self.send_error(403, 'Ask from the page that is served here')
        else:
            return True
        return False

    def _hand_on(
        self,
        address: tuple[str, int],
        method: str,
        path: str,
        question: bytes | None = None,
        asked: Mapping[str, str] | None = None,
    ) -> None:
        """Forward a request, and return its response piece by piece."""
        host, port = address
        upstream = http.client.HTTPConnection(host, port, timeout=ANSWER_SECONDS)
        with contextlib.closing(upstream):
            try:
                upstream.connect()
                link = upstream.sock
                upstream.request(method, path, question, dict(asked or {}))
                answer = upstream.getresponse()
                link.settimeout(None)  # a stream of data has no deadline
            except (OSError, http.client.HTTPException):
                self.send_error(502, 'Rerun does not answer')
                return
            self.send_response(answer.status)
            for name in ANSWERED:
                if value := answer.getheader(name):
                    self.send_header(name, value)
            if length := answer.getheader('Content-Length'):
                self.send_header('Content-Length', length)
            self.send_header('Content-Security-Policy', POLICY)
            self.end_headers()
            with contextlib.suppress(http.client.HTTPException):
                while piece := answer.read1(PIECE):
                    self.wfile.write(piece)

    def log_message(self, *_: Any) -> None:
        """Do not log requests."""
