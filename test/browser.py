# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium without further packages: its debugging protocol over two pipes."""

import base64
import io
import itertools
import json
import os
import select
import shutil
import subprocess
import time

import numpy as np
from PIL import Image

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
# WebGL 2 computed on the processor, as on any machine without a graphics card; no sandbox, which
# root cannot have.
OPTIONS = (
    '--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--disable-background-networking', '--no-first-run',
)  # fmt: skip


class Browser:
    """Opens one page; `requests` are the addresses it asked for, each with True if it was let."""

    def __init__(self, folder, size=(1280, 720)):
        to_browser, self._commands = os.pipe()
        self._answers, from_browser = os.pipe()

        def connect():  # in the child: the protocol is spoken on descriptors 3 and 4
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *OPTIONS, f'--user-data-dir={folder}', 'about:blank'],
            preexec_fn=connect, close_fds=False, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._numbers, self._buffer, self._session = itertools.count(1), b'', None
        self._asked = {}
        self._failed = {}
        self._loaded = False
        target = self._call('Target.createTarget', url='about:blank')['targetId']
        attached = self._call('Target.attachToTarget', targetId=target, flatten=True)
        self._session = attached['sessionId']
        for name in ('Page', 'Network'):
            self._call(f'{name}.enable')
        width, height = size
        self._call(
            'Emulation.setDeviceMetricsOverride',
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def __enter__(self):
        """Give the browser."""
        return self

    def __exit__(self, *_):
        """End it."""
        self._process.kill()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def open(self, url):
        """Go to a page and wait until it has loaded."""
        self._call('Page.navigate', url=url)
        while not self._loaded:
            self._note(self._read())

    def picture(self):
        """Return what the page shows now, (height, width, 3) of 0 to 255."""
        answer = self._call('Page.captureScreenshot', format='png')
        image = Image.open(io.BytesIO(base64.b64decode(answer['data'])))
        return np.asarray(image.convert('RGB')).astype(int)

    @property
    def requests(self):
        """{address: why it failed, '' if it did not} so far."""
        return {url: self._failed.get(key, '') for key, url in self._asked.items()}

    def _call(self, method, **parameters):
        number = next(self._numbers)
        message = {'id': number, 'method': method, 'params': parameters}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._commands, json.dumps(message).encode() + b'\0')
        while True:
            answer = self._read()
            if answer.get('id') == number:
                assert 'error' not in answer, answer
                return answer['result']
            self._note(answer)

    def _note(self, event):
        parameters = event.get('params', {})
        self._loaded = self._loaded or event.get('method') == 'Page.loadEventFired'
        if event.get('method') == 'Network.requestWillBeSent':
            self._asked[parameters['requestId']] = parameters['request']['url']
        if event.get('method') == 'Network.loadingFailed':
            self._failed[parameters['requestId']] = (
                parameters.get('blockedReason') or parameters['errorText']
            )

    def _read(self, patience=60.0):
        limit = time.monotonic() + patience
        while b'\0' not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], limit - time.monotonic())
            assert ready, 'the browser does not answer'
            received = os.read(self._answers, 2**20)
            assert received, 'the browser ended'
            self._buffer += received
        message, _, self._buffer = self._buffer.partition(b'\0')
        return json.loads(message)
