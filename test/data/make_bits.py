# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write into bits.json the bits of cases that it lacks; test/bits.py says what the cases are.

bits.json is a promise: whoever computed a run with this simulator gets the same bits with the next
version. It is not to be written again lightly. This program adds what is new and leaves what is
there as it is, unless it is named. Name a case only where a commit is meant to change that very
motion; the commit then says which numbers moved, by how much, and why they are better.

Bits depend on the machine and its libraries, too, which a canary tells. On others than those of
bits.json this program adds nothing, but for two options, both for a version that is known to pass
test_bits.py where the file was made. --everything makes all of it anew. --elsewhere adds the cases
that differ where only the arrays of NumPy do, as without vectors of 512 bits; after a case was
added or changed, do so on both kinds of machines.

Run: python test/data/make_bits.py [--everything | --elsewhere] [CASE ...]
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import conftest  # noqa: E402, F401, I001 (first: it chooses the kernel of BLAS)
import bits  # noqa: E402
import canary  # noqa: E402

PATH = Path(__file__).with_name('bits.json')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('cases', nargs='*', metavar='CASE', help='to compute again')
    parser.add_argument('--everything', action='store_true', help='compute all cases again')
    parser.add_argument('--elsewhere', action='store_true', help='add what arrays change')
    options = parser.parse_args()
    cases = bits.cases()
    if unknown := set(options.cases) - set(cases):
        parser.error(f'no such cases: {", ".join(sorted(unknown))}')
    kept = {} if options.everything else json.loads(PATH.read_text())
    if options.elsewhere:
        write(with_elsewhere(kept, cases))
        return
    if kept and (found := canary.differences(kept['canary'])):
        parser.error(f'another machine than that of bits.json: {found}')
    stored = {name: case for name, case in kept.get('cases', {}).items() if name in cases}
    for name, case in cases.items():
        if name not in stored or name in options.cases:
            print(name)
            stored[name] = case()
    found = {'canary': canary.canary(), 'cases': {name: stored[name] for name in sorted(stored)}}
    write(found | {'elsewhere': kept.get('elsewhere', {})})


def with_elsewhere(kept, cases):
    """Return what bits.json holds, with the cases that have other bits here."""
    here = canary.canary()
    if differs := canary.differences(kept['canary'] | {'arrays': here['arrays']}):
        sys.exit(f'another machine than that of bits.json: {differs}')
    found = {name: json.loads(json.dumps(cases[name]())) for name in sorted(kept['cases'])}
    others = {name: case for name, case in found.items() if case != kept['cases'][name]}
    print('\n'.join(others))
    return kept | {'elsewhere': kept['elsewhere'] | {here['arrays']: others}}


def write(found):
    """Write one line for each case."""
    elsewhere = ',\n'.join(
        f'"{arrays}": {lines(cases)}' for arrays, cases in found['elsewhere'].items()
    )
    PATH.write_text(
        f'{{"canary": {json.dumps(found["canary"])},\n"cases": {lines(found["cases"])},\n'
        f'"elsewhere": {{\n{elsewhere}\n}}}}\n'
    )


def lines(cases):
    """Return JSON with a line for each case."""
    each = ',\n'.join(f'"{name}": {json.dumps(case)}' for name, case in cases.items())
    return f'{{\n{each}\n}}'


if __name__ == '__main__':
    main()
