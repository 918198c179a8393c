"""What features need besides sentences: files, word clusters, a column of tags."""

from parser.config import Config, ConfigError
from parser.feature.library import is_file
from parser.feature.templates import TemplateSet
from parser.train.data import Treebank


def feature_files(config: Config) -> list[str]:
    """The files that a configuration names."""
    features = config.features
    return [features.name] * is_file(features.name) + [features.clusters] * (features.clusters is not None)


def require_inputs(config: Config, templates: TemplateSet, treebank: Treebank) -> None:
    """ConfigError where a feature would say the same of every word, because nothing is there that it could read."""
    clusters, pos = config.features.clusters, config.features.pos
    if templates.has_clusters and clusters is None:
        raise ConfigError(f"features {templates.name!r} ask for clusters, expected a file of them by --clusters")
    if clusters is not None and not templates.has_clusters:
        raise ConfigError(f"features {templates.name!r} have no cluster(...), expected no --clusters")
    if pos != "auto" and not treebank.vocab[pos].strings():
        raise ConfigError(f"features.pos = {pos!r}: {', '.join(treebank.files)}: no word has any {pos.upper()}")
