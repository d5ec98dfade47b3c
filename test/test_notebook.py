# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a call shows in a notebook's cell, in a real kernel."""

import nbclient
import nbformat

SLOW = """\
import time
import spacecraft_attitude_sim as sas
print('before')
run = sas.simulate('tennis_racket', duration=2.0, until=lambda _: time.sleep(0.05))
again = sas.simulate('tennis_racket', duration=1.0, until=lambda _: time.sleep(0.05))
print('after')
"""
DRAWN = """\
run.animate(seconds=0.5)
"""


class Watched(nbclient.NotebookClient):
    """A client that keeps what the kernel displays."""

    def process_message(self, msg, cell, cell_index):
        """Keep a text that is displayed."""
        if msg['msg_type'] in ('display_data', 'update_display_data'):
            self.shown.append((msg['msg_type'], msg['content']['data'].get('text/plain')))
        return super().process_message(msg, cell, cell_index)


def test_progress_is_one_output_of_a_cell_and_nothing_of_it_stays():
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in (SLOW, DRAWN)])
    client = Watched(book, kernel_name='python3', timeout=300)
    client.shown = []
    client.execute()
    texts = [text for _, text in client.shown if text]
    assert any(' s of 2 s: ' in text and text.endswith(' left') for text in texts), texts
    assert any(' s of 1 s: ' in text for text in texts) and 'writing the GIF' in texts
    # One output of each cell was renewed, and is empty at the end.
    assert [kind for kind, _ in client.shown].count('display_data') == 2, client.shown
    slow, drawn = (cell.outputs for cell in book.cells)
    assert [one.output_type for one in slow] == ['stream', 'display_data', 'stream']
    assert [slow[0].text, slow[2].text] == ['before\n', 'after\n'] and slow[0].name == 'stdout'
    assert [one.output_type for one in drawn] == ['display_data', 'execute_result']
    assert slow[1].data == drawn[0].data == {}
