"""Options of training from three places: defaults, a file, the command line; the last wins. Names of models; sizes."""

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
    chosen = config.with_overrides(overrides)
    refuse_contradictions(given, config.tables(), chosen.tables())
    chosen.resolved()
    return chosen


def refuse_contradictions(given: Mapping[str, object], by_flags: Mapping, chosen: Mapping) -> None:
    """UsageError where --set changes what an option of its own has said: neither is the later one."""
    for name in (name for name, value in given.items() if value is not None):
        table, key = name.split(".")
        if chosen[table].get(key) != by_flags[table][key]:
            flag = table if key == "name" else key
            raise UsageError(f"--{flag} {by_flags[table][key]} and --set {name}: expected one of them, or one value")


def model_name(text: str) -> Path:
    """Where a model is to be written. UsageError for what cannot be the name of a file."""
    if os.path.basename(text) in ("", ".", "..") or text == "-":  # a model is no stream: it is replaced as a whole
        raise UsageError(f"--output {text!r}: expected the name of a file to write")
    return Path(text)


UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def bytes_of(text: str) -> int:
    """5MB, 800 kB, 2.5MiB, 100000: a number of bytes. UsageError for anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?((?:[kmg]i?)?)b?", text.strip(), re.IGNORECASE | re.ASCII)
    if found is None:
        raise UsageError(f"{text!r} is no size, expected one like 5MB, 800kB or 2.5MiB")
    return int(float(found[1]) * UNITS[found[2].lower()])
