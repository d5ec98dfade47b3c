# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A quick part of `make fuzz`: damaged files are refused in one line, or read whole."""

import fuzz

QUICK = 200


def test_no_damaged_file_ends_in_a_traceback(tmp_path, domain):
    failures = []

    def found(number, kind, outcome, said):
        if outcome not in ('read', 'refused'):
            failures.append(f'case {number} ({kind}): {outcome}\n{said}')
        elif '\n' in said:
            failures.append(f'case {number} ({kind}): more than one line\n{said}')

    fuzz.prepare(tmp_path)
    # The start of a child takes as long as all these cases.
    score = fuzz.run(tmp_path, range(QUICK), fuzz.SEED, found, at_once=1)
    assert not failures, '\n\n'.join(failures)
    assert score.total() == QUICK
    # Damage that is refused everywhere would be no test of the readers, nor one never noticed.
    assert all(score[kind, outcome] for kind in fuzz.SHARES for outcome in ('read', 'refused'))
