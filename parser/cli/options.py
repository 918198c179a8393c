"""Options of training from three places: defaults, a file, the command line; the later wins."""

from collections.abc import Iterable, Mapping
from pathlib import Path

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
