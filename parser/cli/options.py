"""Options of training from three places: defaults, a file, the command line; the later wins. Names of models; sizes."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from parser.cli.console import UsageError
from parser.config import Config


def training_config(path: Path | None, given: Mapping[str, object], overrides: Iterable[str]) -> Config:
    """ConfigError for what does not exist or does not go together."""
    config = Config() if path is None else Config.from_file(path)
    for name, value in given.items():
        if value is not None:
            table, key = name.split(".")
            config = config.with_option(table, key, value, "the command line")
    config = config.with_overrides(overrides)
    config.resolved()
    return config


def model_name(text: str) -> Path:
    """Where a model is to be written. UsageError for what cannot be the name of a file."""
    if os.path.basename(text) in ("", ".", ".."):
        raise UsageError(f"--output {text!r}: expected the name of a file to write")
    return Path(text)


UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def bytes_of(text: str) -> int:
    """5MB, 800 kB, 2.5MiB, 100000: a number of bytes. UsageError for anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?((?:[kmg]i?)?)b?", text.strip(), re.IGNORECASE | re.ASCII)
    if found is None:
        raise UsageError(f"{text!r} is no size, expected one like 5MB, 800kB or 2.5MiB")
    return int(float(found[1]) * UNITS[found[2].lower()])
