"""All options of training, with their defaults: the only place that has any.

A Config is a tree of two levels: tables (`system`, `learner`, ...) of options. It reads and writes TOML, takes
`key=value` on top, and goes through JSON into the model file. Options left at None follow from others; `resolved`
fills them in, and what a model file stores is always resolved.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import NoneType
from typing import get_args

from parser.errors import UserError
from parser.search.options import FALLBACKS, NEVER, ORACLES, PRESETS, Exploration, TrainOptions
from parser.transition.registry import SYSTEMS

FEATURES = {  # of systems, unless others are asked for
    "arc-eager": "rich",
    "arc-hybrid": "rich-hybrid",
    "arc-standard": "rich-standard",
    "easy-first": "rich-easyfirst",
}
DEFAULT_SYSTEM = "arc-standard"  # measured: .5 LAS better than arc-eager on the mean of seven treebanks
MADE_FOR = {  # of named sets; the others, and those of files, are for arc-eager
    "rich-standard": "arc-standard",
    "fast": "arc-standard",
    "zn11-standard": "arc-standard",
    "rich-hybrid": "arc-hybrid",
    "zn11-hybrid": "arc-hybrid",
    "hybrid2013": "arc-hybrid",
    "l2s": "arc-hybrid",
    "l2s-program": "arc-hybrid",
    "rich-easyfirst": "easy-first",
    "easyfirst": "easy-first",
    "easyfirst-zn11": "easy-first",
}
MANY = 2**31 - 1  # what C counts up to
# Steps, ridges and margins beyond these make scores that a float cannot hold, or tell apart
SMALL, LARGE = 1e-6, 1_000_000
KEPT = 0.4  # of all rows, where they are left out at all

LEARNER_OPTIONS = {
    "perceptron": {"margin": 100.0},
    "passive-aggressive": {"margin": 1.0, "cap": 1.0},
    "adagrad-rda": {
        "alpha": 0.1,
        "rho": 0.01,
        "lambda_": None,  # 1 / (20 training tokens)
        "ridge_inside_sqrt": False,
        "birth": 0.05,
        "quiet": 0.005,
        "gate": 4,
    },
    "regression": {"rule": "adaptive", "alpha": None, "beta": 0.1, "birth": 0.5},  # alpha: STEPS
}
STEPS = {"adaptive": 0.5, "ftrl": 0.005, "sgd": 0.5}  # of regression, by rule
MOST_BIRTH = 0.5  # of regression with easy-first, whose errors all have this size: above it there would be no weights


class ConfigError(UserError):
    """An option that does not exist or cannot have this value; `str(error)` is the one line to show."""

    exit_code = 2


def option(default, help_: str, *, choices=(), least=None, most=None, key=None):
    """A field of a table: what it means, what it may be, and its name in TOML where that is a word of Python."""
    limits = {"help": help_, "choices": tuple(choices), "least": least, "most": most, "key": key}
    return field(default=default, metadata=limits)


@dataclass(frozen=True)
class SystemConfig:
    name: str = option("auto", "transition system; auto: what the features are made for", choices=("auto", *SYSTEMS))
    root: str | None = option(None, "place of ROOT; each system has its own default", choices=("first", "last", "none"))
    single_root: str = option("auto", "one word under ROOT: auto is as in the data", choices=("auto", "yes", "no"))
    attach_aware: bool = option(False, "loss counted after headless words are attached (arc-eager with ROOT first)")
    left_arc: str = option("early", "when the static oracle attaches to the left", choices=("early", "late"))
    root_label_only: bool = option(False, "arcs from ROOT have a label of their own (arc-standard)")


@dataclass(frozen=True)
class FeaturesConfig:
    name: str = option("auto", "a named set of templates, or a file of them; auto: the system's own")
    pos: str = option("auto", "tag `p` of templates: auto is XPOS if there is one", choices=("auto", "xpos", "upos"))
    clusters: str | None = option(None, "a file of word clusters")


@dataclass(frozen=True)
class LearnerConfig:
    name: str = option("perceptron", "learner", choices=LEARNER_OPTIONS)
    min_updates: int = option(5, "rows changed fewer times are left out", least=0, most=MANY)
    keep: float | None = option(
        None, "share of the rows that learn on after keep_after epochs; easy-first, regression: 1", least=SMALL, most=1
    )
    keep_after: int = option(5, "epochs after which rows are left out", least=1, most=MANY)
    margin: float | None = option(
        None, "by how much a right action must win (perceptron, passive-aggressive)", least=0, most=LARGE
    )
    cap: float | None = option(None, "largest step (passive-aggressive)", least=SMALL, most=LARGE)
    rule: str | None = option(None, "how an example changes weights (regression)", choices=STEPS)
    alpha: float | None = option(None, "size of steps (adagrad-rda, regression)", least=SMALL, most=LARGE)
    beta: float | None = option(None, "what shortens first steps (regression with ftrl)", least=SMALL, most=LARGE)
    rho: float | None = option(None, "ridge of steps (adagrad-rda)", least=SMALL, most=LARGE)
    lambda_: float | None = option(
        None, "l1 penalty (adagrad-rda); 1 / (20 training tokens)", least=0, most=LARGE, key="lambda"
    )
    ridge_inside_sqrt: bool | None = option(None, "rho is added before the square root is taken (adagrad-rda)")
    birth: float | None = option(
        None, "smallest gradient that gives an action a weight (adagrad-rda, regression)", least=0, most=1
    )
    quiet: float | None = option(
        None, "states whose gradients are smaller change nothing (adagrad-rda)", least=0, most=1
    )
    gate: int | None = option(None, "states with a feature before it gets weights (adagrad-rda)", least=1, most=255)


@dataclass(frozen=True)
class OracleConfig:
    name: str = option("dynamic", "which actions count as right", choices=ORACLES)


@dataclass(frozen=True)
class ExploreConfig:
    name: str | None = option(None, "preset; with the dynamic oracle goldberg-nivre-2013 or sample", choices=PRESETS)
    k: int | None = option(None, "epochs without exploration", least=0, most=NEVER)
    p: float | None = option(None, "probability of following a wrong prediction", least=0, most=1)
    fallback: str | None = option(None, "which right action is taken instead", choices=FALLBACKS)


@dataclass(frozen=True)
class TrainConfig:
    labelled: bool = option(True, "costs count wrong labels too")
    epochs: int = option(10, "passes over the training data", least=1, most=MANY)
    patience: int = option(0, "stop after so many epochs without a better dev score; 0: never", least=0, most=MANY)
    seed: int = option(1, "seed of everything that is random", least=0, most=2**63 - 1)
    ensemble: int = option(1, "models of successive seeds, added up into one", least=1, most=1000)


@dataclass(frozen=True)
class TreesConfig:
    nonprojective: str = option(
        "head",
        "non-projective training trees: left out, lifted, or lifted with marks in the labels",
        choices=("drop", "lift", "head", "path", "head+path"),
    )
    min_marked: int = option(5, "marked labels met fewer times lose their marks", least=1, most=MANY)


@dataclass(frozen=True)
class Config:
    """All options of a training, by table: `Config().with_overrides(["epochs=5"])`, `Config.from_file("c.toml")`."""

    system: SystemConfig = SystemConfig()
    features: FeaturesConfig = FeaturesConfig()
    learner: LearnerConfig = LearnerConfig()
    oracle: OracleConfig = OracleConfig()
    explore: ExploreConfig = ExploreConfig()
    train: TrainConfig = TrainConfig()
    trees: TreesConfig = TreesConfig()

    def resolved(self) -> "Config":
        """The same training with every option that follows from others filled in. ConfigError where options clash."""
        system = resolve_system(self.system, self.features.name)
        return replace(
            self,
            system=system,
            features=resolve_features(self.features, system.name),
            learner=resolve_learner(self.learner, system.name),
            explore=resolve_explore(self.explore, self.oracle.name, self.learner.name),
        )

    def learner_options(self) -> dict[str, object]:
        """What the learner's constructor is called with, besides the number of actions and tokens."""
        learner = resolve_learner(self.learner, self.system.name)
        options = {name: getattr(learner, name) for name in LEARNER_OPTIONS[learner.name] if name != "lambda_"}
        if learner.lambda_ is not None:
            options["l1"] = learner.lambda_
        return options | {"min_updates": learner.min_updates}

    def options(self) -> TrainOptions:
        """What the search is to do in training."""
        explore = resolve_explore(self.explore, self.oracle.name, self.learner.name)
        return TrainOptions(
            oracle=self.oracle.name,
            exploration=exploration_of(explore),
            labelled=self.train.labelled,
            update="logistic" if self.learner.name == "adagrad-rda" else "perceptron",
        )

    # In and out

    def tables(self) -> dict[str, dict[str, object]]:
        """As plain dicts; options that are None are left out."""
        return {
            table.name: {
                key_of(f): getattr(getattr(self, table.name), f.name)
                for f in fields(table.type)
                if getattr(getattr(self, table.name), f.name) is not None
            }
            for table in fields(self)
        }

    def to_toml(self) -> str:
        """As `arcspeed train --config` reads it."""
        lines = []
        for name, table in self.tables().items():
            lines += [f"[{name}]", *(f"{key} = {toml_value(value)}" for key, value in table.items()), ""]
        return "\n".join(lines)

    @classmethod
    def from_tables(cls, tables: Mapping[str, object], origin: str = "configuration") -> "Config":
        """ConfigError for anything unknown or out of range. Options that are not given have their defaults."""
        if not isinstance(tables, Mapping):
            raise ConfigError(f"{origin}: expected tables of options")
        config = cls()
        for name, table in tables.items():
            if name not in TABLES:
                raise ConfigError(f"{origin}: no table [{name}]{suggestion(name, TABLES)}")
            if not isinstance(table, Mapping):
                raise ConfigError(f"{origin}: {name} = {table!r}, expected a table [{name}]")
            for key, value in table.items():
                config = config.with_option(name, key, value, origin)
        return config

    @classmethod
    def from_toml(cls, text: str, origin: str = "configuration") -> "Config":
        """ConfigError where an option is unknown or has a wrong value; origin: what messages call the text."""
        import tomllib  # not needed to load a model

        try:
            return cls.from_tables(tomllib.loads(text), origin)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{origin}: is not TOML: {error}") from None

    @classmethod
    def from_file(cls, path: str | Path) -> "Config":
        """from_toml of a file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise ConfigError(f"{path}: is not UTF-8 text") from None
        return cls.from_toml(text, str(path))

    @classmethod
    def of(cls, given: "Config | str | Path | Mapping[str, object] | None") -> "Config":
        """What a program gives as one: a Config, a TOML file's name, or its tables as a dict; None: the defaults."""
        if given is None or isinstance(given, cls):
            return given or cls()
        if isinstance(given, str | Path):
            return cls.from_file(given)
        return cls.from_tables(given)

    def with_option(self, table: str, key: str, value: object, origin: str = "configuration") -> "Config":
        """A copy with one option changed: `with_option("train", "epochs", 5)`."""
        keys = {key_of(f): f for f in fields(TABLES[table])}
        if key not in keys:
            raise ConfigError(f"{origin}: no option {table}.{key}{suggestion(key, keys)}")
        checked = check_value(f"{origin}: {table}.{key}", keys[key], value)
        return replace(self, **{table: replace(getattr(self, table), **{keys[key].name: checked})})

    def with_overrides(self, overrides: Iterable[str]) -> "Config":
        """`table.option=value`, `option=value` where only one table has it, or `table=value` for a table's name."""
        config = self
        for text in overrides:
            key, equals, value = text.partition("=")
            if not equals:
                raise ConfigError(f"{text!r}: expected option=value")
            table, option_ = find_option(key.strip())
            config = config.with_option(table, option_, parse_value(table, option_, value.strip()), f"{text!r}")
        return config


TABLES = {table.name: table.type for table in fields(Config)}


def key_of(f) -> str:
    return f.metadata["key"] or f.name


def suggestion(word: object, known: Iterable[str]) -> str:
    """The nearest known word, or all of them."""
    import difflib

    known = list(known)
    near = difflib.get_close_matches(str(word), known, n=1)
    return f", did you mean {near[0]!r}?" if near else f", expected one of {', '.join(known)}"


def find_option(key: str) -> tuple[str, str]:
    """(table, option) of what a user wrote before the `=`."""
    table, dot, option_ = key.partition(".")
    if dot:
        if table not in TABLES:
            raise ConfigError(f"no option {key!r}: no table {table!r}{suggestion(table, TABLES)}")
        return table, option_
    keys = {name: [key_of(f) for f in fields(type_)] for name, type_ in TABLES.items()}
    if key in keys and "name" in keys[key]:
        return key, "name"
    holders = [name for name, options in keys.items() if key in options]
    if len(holders) != 1:
        known = {option_ for options in keys.values() for option_ in options} | {n for n in keys if "name" in keys[n]}
        clash = f": say which, one of {', '.join(f'{name}.{key}' for name in holders)}"
        raise ConfigError(f"no option {key!r}{clash if holders else suggestion(key, sorted(known - {'name'}))}")
    return holders[0], key


def types_of(f) -> tuple[type, ...]:
    return get_args(f.type) or (f.type,)


def parse_value(table: str, key: str, text: str) -> object:
    """The text of an override as the option's type, or as it is for `check_value` to complain about."""
    for f in fields(TABLES[table]):
        if key_of(f) == key:
            for type_ in types_of(f):
                if type_ is bool and text in ("true", "false", "yes", "no"):
                    return text in ("true", "yes")
                if type_ in (int, float):
                    try:
                        return type_(text)
                    except ValueError:
                        return text
    return text


def check_value(what: str, f, value: object) -> object:
    """The value as the field holds it: whole numbers may stand for floats."""
    types = [t for t in types_of(f) if t is not NoneType]
    limits, is_whole_float = f.metadata, type(value) is int and float in types
    if (type(value) not in types and not is_whole_float) or (type(value) is float and not math.isfinite(value)):
        kinds = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
        expected = f"one of {', '.join(limits['choices'])}" if limits["choices"] else kinds[types[0]]
        raise ConfigError(f"{what} = {value!r}, expected {expected}")
    if limits["choices"] and value not in limits["choices"]:
        raise ConfigError(f"{what} = {value!r}{suggestion(value, limits['choices'])}")
    if limits["least"] is not None and not limits["least"] <= value <= limits["most"]:
        raise ConfigError(f"{what} = {value!r}, expected {limits['least']} to {limits['most']}")
    return float(value) if is_whole_float else value


def toml_value(value: object) -> str:
    """A value of our tables in TOML: its basic strings, numbers and booleans are written as in JSON."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


# What follows from what


def resolve_features(features: FeaturesConfig, system: str) -> FeaturesConfig:
    if features.name != "auto":
        return features
    return replace(features, name=FEATURES[system])


def resolve_system(system: SystemConfig, features: str) -> SystemConfig:
    if system.name == "auto":
        system = replace(system, name=DEFAULT_SYSTEM if features == "auto" else MADE_FOR.get(features, "arc-eager"))
    entry = SYSTEMS[system.name]
    root = entry.roots[0] if system.root is None else system.root
    if root not in entry.roots:
        raise ConfigError(f"system.root = {root!r}: {system.name} has ROOT {' or '.join(entry.roots)}")
    if root == "none" and system.single_root == "no":
        raise ConfigError(f"system.single_root = 'no': {system.name} without ROOT always has one root word")
    for name in ("attach_aware", "left_arc", "root_label_only"):
        if getattr(system, name) not in (False, "early") and name not in entry.options:
            raise ConfigError(f"system.{name} is no option of {system.name}")
    if system.attach_aware and root != "first":
        raise ConfigError(f"system.attach_aware: only with ROOT first are words left over, here it is {root}")
    return replace(system, root=root)


def resolve_learner(learner: LearnerConfig, system: str) -> LearnerConfig:
    own = LEARNER_OPTIONS[learner.name]
    if system == "easy-first" and learner.name == "perceptron":
        own = own | {"margin": 0.0}  # measured: one makes easy-first slightly worse
    for name in {name for options in LEARNER_OPTIONS.values() for name in options} - own.keys():
        if getattr(learner, name) is not None:
            raise ConfigError(f"learner.{name.rstrip('_')} is no option of the {learner.name} learner")
    given = {name: getattr(learner, name) for name in own}
    filled = {name: own[name] if value is None else value for name, value in given.items()}
    if learner.name == "passive-aggressive" and filled["margin"] == 0:
        raise ConfigError("learner.margin = 0.0, expected more than 0")
    if learner.name == "regression" and filled["alpha"] is None:
        filled["alpha"] = STEPS[filled["rule"]]
    if learner.name == "regression" and system == "easy-first" and filled["birth"] > MOST_BIRTH:
        raise ConfigError(f"learner.birth = {filled['birth']}, expected at most {MOST_BIRTH} with easy-first")
    if learner.keep is None:
        filled["keep"] = 1.0 if system == "easy-first" or learner.name == "regression" else KEPT
    return replace(learner, **filled)


def resolve_explore(explore: ExploreConfig, oracle: str, learner: str) -> ExploreConfig:
    """Options that a preset does not have may only be given as it has them: so is a resolved one."""
    own = "sample" if learner == "adagrad-rda" else "goldberg-nivre-2013"
    name = explore.name or (own if oracle == "dynamic" else "none")
    preset = PRESETS[name]
    fixed = ("k", "p") if name in ("none", "ambiguity") else ("p", "fallback") if preset.kind == "sample" else ()
    filled = {}
    for key in ("k", "p", "fallback"):
        value = getattr(explore, key)
        if key in fixed and value not in (None, getattr(preset, key)):
            raise ConfigError(f"explore.{key} is no option of {name!r}")
        filled[key] = getattr(preset, key) if value is None else value
    explore = ExploreConfig(name=name, **filled)
    if oracle != "dynamic" and exploration_of(explore).leaves_gold:
        raise ConfigError(f"explore = {name!r}: the {oracle} oracle knows nothing off the gold path")
    if oracle == "static" and name == "ambiguity":
        raise ConfigError(f"explore = {name!r}: the static oracle knows one right move a state, use another")
    if preset.kind == "sample" and learner != "adagrad-rda":
        raise ConfigError(f"explore = {name!r}: scores of the {learner} learner are no probabilities, use adagrad-rda")
    return explore


def exploration_of(explore: ExploreConfig) -> Exploration:
    return Exploration(PRESETS[explore.name].kind, explore.k, explore.p, explore.fallback)
