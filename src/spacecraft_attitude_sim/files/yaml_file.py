# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""YAML files of users: what they hold, or an error of the reader's kind that says why not."""

from pathlib import Path

import yaml


def text_of(path, refused):
    """Return the text of a file; raise `refused`, a kind of error, where it cannot be read."""
    path = Path(path)
    try:
        return path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise refused(f'{path.name}: cannot be read: {error}') from None


def mapping_of(text, source, empty, refused):
    """Return the mapping that a text holds; raise `refused`, a kind of error, where it holds none.

    source: name of its file, for messages;  empty: what to say of a text without a mapping
    """
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise refused(f'{source}: is not YAML: {" ".join(str(error).split())}') from None
    if not isinstance(found, dict):
        raise refused(f'{source}: {empty}')
    return found
