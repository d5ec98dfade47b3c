# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The web page: Rerun's viewer and the data, served to this machine only.

Rerun's own server runs as a child process. Between it and the browser stands a small relay, so
that the page has a short address and a content security policy: it may speak to this machine and
to nothing else, where it would otherwise fetch a font and report its use.
"""

import contextlib
import ctypes
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import rerun_cli

from spacecraft_attitude_sim.viewer.errors import ViewError

HOST = '127.0.0.1'
START_SECONDS = 20.0
END_SECONDS = 5.0
# How long Rerun's server may take to answer the relay.
ANSWER_SECONDS = 10.0
# What this machine is called in an address; a page from elsewhere that resolves to it is refused.
NAMES = (HOST, 'localhost')
PR_SET_PDEATHSIG = 1
POLICY = (
    "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' data: blob:; "
    'connect-src {origin} http://{host}:{port} data: blob:'
)


class Page:
    """Serves the viewer until closed.

    port: of the page;  memory: limit of the data kept for browsers, such as 512MB
    url: of the page;  sink: where the SDK sends its data
    Raises ViewError when the port is taken or Rerun does not start.
    """

    def __init__(self, port, memory):
        self.url = f'http://localhost:{port}'
        data_port, viewer_port = _free_ports()
        self.sink = f'rerun+http://{HOST}:{data_port}/proxy'
        try:
            self._relay = _Relay((HOST, port), data_port, viewer_port)
        except OSError as error:
            raise ViewError(
                f'port {port} cannot be used: {error.strerror}; name another with --port'
            ) from None
        self._rerun = _start_rerun(data_port, viewer_port, memory)
        try:
            self._await_start(viewer_port)
        except ViewError:
            self.close()
            raise
        threading.Thread(target=self._relay.serve_forever, daemon=True).start()
        self._serving = True

    _serving = False

    def close(self):
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

    def _await_start(self, port):
        limit = time.monotonic() + START_SECONDS
        while time.monotonic() < limit:
            if self._rerun.poll() is not None:
                raise ViewError(f'rerun ended with status {self._rerun.returncode}')
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return
            time.sleep(0.05)
        raise ViewError(f'rerun did not start within {START_SECONDS:g} s')


def _free_ports():
    """Return two; the first is held until the second is found, or they might be the same."""
    with socket.socket() as one, socket.socket() as other:
        for probe in (one, other):
            probe.bind((HOST, 0))
        return one.getsockname()[1], other.getsockname()[1]


def _start_rerun(data_port, viewer_port, memory):
    program = Path(rerun_cli.__file__).parent / 'rerun'
    command = [
        program, '--serve-web', '--bind', HOST, '--port', str(data_port),
        '--web-viewer-port', str(viewer_port), '--server-memory-limit', memory,
    ]  # fmt: skip
    # CI is the switch that keeps Rerun's own telemetry off without touching the user's settings.
    environment = dict(os.environ, CI='1', RUST_LOG='error')
    # In a session of its own no Ctrl-C reaches it before what is left has been sent.
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=_end_with_parent,
    )  # fmt: skip


def _end_with_parent():
    """In the child: end when the parent does, in any way."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class _Relay(ThreadingHTTPServer):
    """Hands on what the browser asks of Rerun's web server."""

    daemon_threads = True

    def __init__(self, address, data_port, viewer_port):
        super().__init__(address, _Handler)
        self.viewer_port = viewer_port
        data = f'rerun%2Bhttp%3A%2F%2F{HOST}%3A{data_port}%2Fproxy'
        self.start = f'/?url={data}&hide_welcome_screen&persist=0'
        origin = f'http://localhost:{address[1]} http://{HOST}:{address[1]}'
        self.policy = POLICY.format(origin=origin, host=HOST, port=data_port)

    def handle_error(self, request, client_address):
        """Say nothing of a browser that has gone away in the middle of an answer."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802 (the name http.server calls)
        """Answer a request of the browser."""
        if self.headers.get('Host', '').partition(':')[0] not in NAMES:
            self.send_error(403, f'Ask for {HOST} or localhost')
        elif self.path == '/':
            self.send_response(302)
            self.send_header('Location', self.server.start)
            self.send_header('Content-Length', '0')
            self.end_headers()
        else:
            self._hand_on(self.path.partition('?')[0])

    def _hand_on(self, path):
        upstream = http.client.HTTPConnection(
            HOST, self.server.viewer_port, timeout=ANSWER_SECONDS
        )
        try:
            with contextlib.closing(upstream):
                upstream.request('GET', path)
                answer = upstream.getresponse()
                content = answer.read()
        except (OSError, http.client.HTTPException):
            self.send_error(502, 'Rerun does not answer')
            return
        self.send_response(answer.status)
        for name in ('Content-Type', 'rerun-final-length'):
            if value := answer.getheader(name):
                self.send_header(name, value)
        self.send_header('Content-Length', str(len(content)))
        self.send_header('Content-Security-Policy', self.server.policy)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing of each request."""
