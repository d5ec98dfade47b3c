# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Ways to damage a file, drawn from a numpy generator."""

import re
import zlib

EXTREMES = (
    0,
    1,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**36,
    2**40,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
# Put in the place of a value, a key or a whole line of YAML.
TOKENS = (
    '.nan', '.inf', '-.inf', '1e308', '-1e308', '1e-320', '0', '-1', '9' * 400, '0x_', '12:30:59',
    '2026-13-45', 'null', '~', 'true', "''", '[]', '{}', '[1', '{a: 1', '[[[]]]', '[1, a, 2.0]',
    '[.nan, 0.0, 0.0]', '[0.0, 0.0, 0.0, 0.0]', '*a', '&a [1]',
    '!!python/object/apply:os.getcwd []',
    '!!binary x', '<<: {a: 1}', '"\\0"',
    '"\\ud800"', '\t', '\x00', '\u2028', '# revision x', '---',
    '$\\frac{$', 'x' * 5000, '[' * 200, '{a: ' * 50, "'8.0 deg/s'", 'box', '[a, a]', '?', ': :',
    '1_000', '0o17', '1e', '../../etc/passwd', '/dev/zero', 'momentum', 'lagrange', 'implicit',
)  # fmt: skip


def of_bytes(rng, content):
    """Return damaged bytes."""
    kinds = (_flipped, _flipped, _cut, _removed, _zeroed, _doubled, _spliced, _length, _length)
    found = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        if found:
            found = kinds[rng.integers(len(kinds))](rng, found)
    return bytes(found)


def of_text(rng, text):
    """Return a damaged YAML text, as bytes."""
    lines = text.split('\n')
    for _ in range(int(rng.integers(1, 4))):
        _edit(rng, lines)
    found = '\n'.join(lines).encode('utf-8', 'surrogatepass')
    return of_bytes(rng, found) if rng.random() < 0.1 else found


def within_chunk(rng, content, chunks):
    """Return an mcap file with messages damaged under a checksum that is right.

    chunks: of mcap_file.chunks_of
    """
    found = bytearray(content)
    places = list(chunks.values())
    chunk = places[rng.integers(len(places))]
    end = chunk.data + chunk.compressed
    for _ in range(int(rng.integers(1, 6))):
        size = int(rng.choice((1, 1, 4, 8)))
        start = int(rng.integers(chunk.data, end - size))
        new = int(rng.choice(EXTREMES[:9])) if rng.random() < 0.5 else int(rng.integers(2**62))
        found[start : start + size] = new.to_bytes(8, 'little')[:size]
    place = chunk.place + 9 + 24
    found[place : place + 4] = zlib.crc32(found[chunk.data : end]).to_bytes(4, 'little')
    return bytes(found)


def _range(rng, found):
    start = int(rng.integers(len(found)))
    return start, min(len(found), start + int(rng.integers(1, 200)))


def _flipped(rng, found):
    for _ in range(int(rng.integers(1, 9))):
        found[rng.integers(len(found))] ^= 1 << rng.integers(8)
    return found


def _cut(rng, found):
    return found[: rng.integers(len(found))]


def _removed(rng, found):
    start, end = _range(rng, found)
    return found[:start] + found[end:]


def _zeroed(rng, found):
    start, end = _range(rng, found)
    found[start:end] = bytes(end - start)
    return found


def _doubled(rng, found):
    start, end = _range(rng, found)
    return found[:end] + found[start:]


def _spliced(rng, found):
    start, end = _range(rng, found)
    place = int(rng.integers(len(found)))
    return found[:place] + found[start:end] + found[place:]


def _length(rng, found):
    """Put a number where a length may be."""
    size = int(rng.choice((2, 4, 8)))
    start = int(rng.integers(len(found)))
    number = EXTREMES[rng.integers(len(EXTREMES))] & (2 ** (8 * size) - 1)
    found[start : start + size] = number.to_bytes(size, 'little')
    return found


def _edit(rng, lines):
    k = int(rng.integers(len(lines)))
    token = TOKENS[rng.integers(len(TOKENS))]
    kind = rng.integers(7)
    if kind == 0 and len(lines) > 1:
        del lines[k]
    elif kind == 1:
        lines.insert(k, lines[int(rng.integers(len(lines)))])
    elif kind == 2:
        lines[k] = ' ' * int(rng.integers(1, 6)) + lines[k]
    elif kind == 3:
        lines[k] = token
    elif kind == 4:  # in place of a number
        numbers = [*re.finditer(r'-?\d[\d.e-]*', lines[k])]
        if numbers:
            one = numbers[rng.integers(len(numbers))]
            lines[k] = lines[k][: one.start()] + token + lines[k][one.end() :]
    else:  # in place of a value
        key, colon, _ = lines[k].partition(':')
        lines[k] = f'{key}{colon} {token}'
