# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write summaries.txt and drawn.txt anew after a change of what is said or drawn.

PYTHONPATH=test python test/data/make_summaries.py
"""

from pathlib import Path

import test_drawn
from test_summaries import FILE, summaries

text = '\n'.join(f'=== {name}\n{said}' for name, said in summaries())
Path(FILE).write_text(f'{text}\n', encoding='utf-8')
text = '\n'.join(f'=== {name}\n{drawn}' for name, drawn in test_drawn.pictures())
Path(test_drawn.FILE).write_text(f'{text}\n', encoding='utf-8')
