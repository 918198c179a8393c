"""From a configuration to the objects it names: system, features, learner, trainer, parser. One place for choices."""

from dataclasses import dataclass
from functools import cached_property

from parser.config import Config, ConfigError
from parser.feature.extract import Extractor
from parser.feature.templates import TemplateSet
from parser.learn import LEARNERS
from parser.score.linear import LinearModel
from parser.search.easy import EasyParser, EasyTrainer
from parser.search.greedy import GreedyParser, GreedyTrainer
from parser.transition import get_system
from parser.treebank.pseudo_restore import Restorer

PROBABILISTIC = frozenset(["adagrad-rda"])  # learners whose scores are logarithms of probabilities, up to a constant


@dataclass(frozen=True)
class Assembly:
    """What training and parsing share. `config` is resolved, `pos` and `single_root` are decided."""

    config: Config
    templates: TemplateSet
    labels: tuple[str, ...]  # by id, pseudo-projective ones included
    root_label: str
    single_root: bool
    pos: str
    one_root_label: bool = False  # in training all words under ROOT had the root_label

    @cached_property
    def system(self):
        options = self.config.system
        return get_system(
            options.name,
            labels=list(self.labels),
            root=options.root,
            single_root=self.single_root,
            attach_aware=options.attach_aware,
            left_arc=options.left_arc,
            root_label=self.root_label,
            root_label_only=options.root_label_only,
        )

    @property
    def under_root(self) -> int:
        """The label of all words under ROOT; -1: they may have any."""
        return self.labels.index(self.root_label) if self.one_root_label else -1

    @property
    def is_easy_first(self) -> bool:
        return self.config.system.name == "easy-first"

    @property
    def n_actions(self) -> int:
        return 2 * len(self.labels) if self.is_easy_first else self.system.core.n_actions

    @cached_property
    def extractor(self) -> Extractor:
        if (self.templates.family == "list") != self.is_easy_first:
            raise ConfigError(f"features {self.templates.name!r} do not go with {self.config.system.name}")
        return Extractor(self.templates, self.pos)

    @cached_property
    def restorer(self) -> Restorer:
        return Restorer(list(self.labels))

    @property
    def is_probabilistic(self) -> bool:
        return self.config.learner.name in PROBABILISTIC

    def learner(self, n_tokens: int):
        options = self.config.learner_options()
        if self.config.learner.name == "adagrad-rda":
            options["n_tokens"] = n_tokens
        return LEARNERS[self.config.learner.name](self.n_actions, **options)

    def trainer(self, learner):
        kind = EasyTrainer if self.is_easy_first else GreedyTrainer
        return kind(self.system, self.extractor, learner, self.config.options())

    def sentence_parser(self, weights):
        kind = EasyParser if self.is_easy_first else GreedyParser
        return kind(self.system, self.extractor, LinearModel(weights), self.under_root)
