"""The configuration: defaults, TOML and JSON and back, overrides, one line for everything that is wrong."""

import json
import re
import tomllib
from dataclasses import fields, replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.config import (
    FEATURES,
    LEARNER_OPTIONS,
    TABLES,
    Config,
    ConfigError,
    ExploreConfig,
    FeaturesConfig,
    LearnerConfig,
    OracleConfig,
    SystemConfig,
    TrainConfig,
    TreesConfig,
)
from parser.feature.library import SETS, named_set
from parser.learn import LEARNERS
from parser.search.options import PRESETS, TrainOptions
from parser.transition import SYSTEMS, TransitionError, get_system
from parser.treebank.pseudo import ENCODINGS


def test_defaults():
    config = Config().resolved()
    assert config.system == SystemConfig("arc-standard", "first", "auto")
    assert config.features == FeaturesConfig("rich-standard", "auto", None)
    assert config.learner == LearnerConfig("perceptron", min_updates=5, keep=0.4, margin=100.0)
    assert config.oracle.name == "dynamic"
    assert config.explore == ExploreConfig("goldberg-nivre-2013", k=1, p=0.9, fallback="best")
    assert config.train == TrainConfig(labelled=True, epochs=10, patience=0, seed=1, ensemble=1)
    assert config.trees == TreesConfig("head", 5)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["features=rich"], "arc-eager"),
        (["features=zn11-standard"], "arc-standard"),
        (["features=l2s"], "arc-hybrid"),
        (["features=easyfirst"], "easy-first"),
        (["features=./own.txt"], "arc-eager"),
        (["features=zn11", "system=arc-hybrid"], "arc-hybrid"),
        (["system=easy-first"], "easy-first"),
    ],
)
def test_the_system_is_what_the_features_are_made_for(options, name):
    assert Config().with_overrides(options).resolved().system.name == name


def test_every_named_set_is_for_a_system():
    """Sets for a list go with easy-first alone."""
    for name in SETS:
        system = Config().with_overrides([f"features={name}"]).resolved().system.name
        assert (named_set(name).family == "list") == (system == "easy-first")
        assert name == FEATURES[system] or name not in FEATURES.values()


def test_what_a_program_gives(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("[train]\nepochs = 3\n")
    found = Config().with_overrides(["epochs=3"])
    assert Config.of(found) is found
    assert Config.of(str(path)) == Config.of(path) == Config.of({"train": {"epochs": 3}}) == found
    assert Config.of(None) == Config()
    with pytest.raises(ConfigError, match=r"configuration: no option train\.epoch, did you mean 'epochs'"):
        Config.of({"train": {"epoch": 3}})


def test_yes_and_no_are_what_true_and_false_are():
    for yes, no in (("true", "false"), ("yes", "no")):
        assert Config().with_overrides([f"system.root_label_only={yes}"]).system.root_label_only is True
        assert Config().with_overrides([f"system.root_label_only={no}"]).system.root_label_only is False


def test_easy_first_learns_without_a_margin_unless_told():
    config = Config().with_overrides(["system=easy-first"])
    assert config.resolved().learner.margin == config.learner_options()["margin"] == 0
    assert config.with_overrides(["margin=20"]).learner_options()["margin"] == 20
    assert config.with_overrides(["learner=passive-aggressive"]).learner_options()["margin"] == 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_has_features_that_it_can_see(name):
    """Of arc-standard and arc-hybrid no word of stack or buffer has a head, and so none has a label."""
    config = Config().with_overrides([f"system={name}"]).resolved()
    found = named_set(config.features.name)
    assert found.family == ("list" if name == "easy-first" else "stack")
    if name in ("arc-standard", "arc-hybrid"):
        headless = re.compile(r"\b[sn]\d\.(h|L|pL|wL|uL)\b")
        assert [str(template) for template in found.templates if headless.search(str(template))] == []


def test_a_resolved_config_stays_as_it_is():
    config = Config().resolved()
    assert config.resolved() == config


@pytest.mark.parametrize("name", LEARNER_OPTIONS)
def test_every_learner_takes_its_options(name):
    options = Config(learner=LearnerConfig(name)).learner_options()
    learner = LEARNERS[name](5, n_tokens=100, **options) if name == "adagrad-rda" else LEARNERS[name](5, **options)
    assert learner.min_updates == 5
    for key in set(options) - {"l1"}:
        assert getattr(learner, key) == pytest.approx(options[key])


def test_learners_are_those_there_are():
    assert LEARNER_OPTIONS.keys() == LEARNERS.keys()


def test_lambda_is_the_papers_unless_given():
    assert "l1" not in Config(learner=LearnerConfig("adagrad-rda")).learner_options()
    config = Config().with_overrides(["learner=adagrad-rda", "lambda=0.5"])
    assert config.learner_options()["l1"] == 0.5
    assert config.tables()["learner"]["lambda"] == 0.5


def test_encodings_are_those_there_are():
    assert set(ENCODINGS) < set(TreesConfig.__dataclass_fields__["nonprojective"].metadata["choices"])


@pytest.mark.parametrize("name", SYSTEMS)
def test_roots_of_systems(name):
    roots = SYSTEMS[name].roots
    assert Config(system=SystemConfig(name)).resolved().system.root == roots[0]
    for root in ("first", "last", "none"):
        config = Config(system=SystemConfig(name, root))
        if root in roots:
            assert config.resolved().system.root == root
        else:
            with pytest.raises(ConfigError, match=f"system.root = '{root}': {name} has ROOT {roots[0]}"):
                config.resolved()


def test_presets_are_where_options_start_from():
    config = Config().with_overrides(["explore=chang-2015", "k=3"]).resolved()
    assert config.explore == ExploreConfig("chang-2015", k=3, p=1.0, fallback="best")
    assert Config().with_overrides(["oracle=static"]).resolved().explore.name == "none"
    sampling = Config().with_overrides(["learner=adagrad-rda"]).resolved()
    assert sampling.explore == ExploreConfig("sample", k=0, p=1.0, fallback="best")
    assert Config().with_overrides(["learner=adagrad-rda", "oracle=static"]).resolved().explore.name == "none"


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_the_searchs(name):
    config = Config().with_overrides([f"explore={name}", "learner=adagrad-rda"])
    assert config.options() == TrainOptions("dynamic", PRESETS[name], True, "logistic")
    assert config.resolved().options() == config.options()


def test_what_the_search_gets():
    config = Config().with_overrides(["oracle=nondeterministic", "explore=ambiguity", "labelled=false"])
    assert config.options() == TrainOptions("nondeterministic", PRESETS["ambiguity"], False, "perceptron")


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_take_their_options(name):
    """Every option that resolves is one that the system can be made with."""
    for root in SYSTEMS[name].roots:
        for attach_aware, left_arc, only in product((False, True), ("early", "late"), (False, True)):
            given = SystemConfig(name, root, "auto", attach_aware, left_arc, only)
            options = {"root": root, "attach_aware": attach_aware, "left_arc": left_arc, "root_label_only": only}
            try:
                Config(system=given).resolved()
            except ConfigError:
                with pytest.raises(TransitionError):
                    get_system(name, labels=["root", "a"], **options)
            else:
                assert get_system(name, labels=["root", "a"], **options)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["oracle=static", "explore=chang-2015"], "the static oracle knows nothing off the gold path"),
        (["oracle=nondeterministic", "explore=err"], "the nondeterministic oracle knows nothing off the gold path"),
        (["oracle=static", "explore=ambiguity"], "'ambiguity': the static oracle knows one right move a state"),
        (["oracle=static", "p=0.5"], "explore.p is no option of 'none'"),
        (["explore=ambiguity", "k=2"], "explore.k is no option of 'ambiguity'"),
        (["learner=adagrad-rda", "explore=sample", "p=0.5"], "explore.p is no option of 'sample'"),
        (["explore=sample"], "explore = 'sample': scores of the perceptron learner are no probabilities"),
        (["learner.alpha=1"], "learner.alpha is no option of the perceptron learner"),
        (["learner=adagrad-rda", "margin=1"], "learner.margin is no option of the adagrad-rda learner"),
        (
            ["system=arc-eager", "attach_aware=true"],
            "system.attach_aware: only with ROOT first are words left over, here it is last",
        ),
        (["system=easy-first", "root_label_only=true"], "system.root_label_only is no option of easy-first"),
        (["features=zn11", "left_arc=late"], "system.left_arc is no option of arc-eager"),
        (["lambda=1"], "learner.lambda is no option of the perceptron learner"),
        (["learner=passive-aggressive", "margin=0"], "learner.margin = 0.0, expected more than 0"),
        (
            ["system=easy-first", "learner=regression", "birth=0.6"],
            r"learner.birth = 0\.6, expected at most 0\.5 with easy-first",
        ),
        (["system=arc-hybrid", "root=none", "single_root=no"], "arc-hybrid without ROOT always has one root word"),
    ],
)
def test_options_that_clash(overrides, message):
    config = Config().with_overrides(overrides)
    with pytest.raises(ConfigError, match=message):
        config.resolved()


@pytest.mark.parametrize(("system", "birth"), [("easy-first", 0.5), ("arc-eager", 1.0)])
def test_births_of_regression_that_can_be(system, birth):
    config = Config().with_overrides([f"system={system}", "learner=regression", f"birth={birth}"])
    assert config.resolved().learner.birth == birth


# In and out


def values(f):
    limits = f.metadata
    if limits["choices"]:
        return st.sampled_from(limits["choices"])
    kinds = [t for t in (str, bool, int, float) if t in (f.type, *getattr(f.type, "__args__", ()))]
    if kinds == [str]:
        return st.text(st.characters(exclude_categories=["Cs"]))
    if kinds == [bool]:
        return st.booleans()
    least, most = limits["least"], limits["most"]
    if kinds == [int]:
        return st.integers(least, most if most is not None else 10**6)
    return st.floats(least, most, allow_infinity=False).filter(lambda x: x >= 0 and str(x) != "-0.0")


@st.composite
def configs(draw):
    config = Config()
    for table in fields(Config):
        for f in fields(table.type):
            if draw(st.booleans()):
                changed = replace(getattr(config, table.name), **{f.name: draw(values(f))})
                config = replace(config, **{table.name: changed})
    return config


@given(configs())
def test_round_trips(config):
    assert Config.from_toml(config.to_toml()) == config
    assert Config.from_tables(json.loads(json.dumps(config.tables()))) == config
    assert tomllib.loads(config.to_toml()) == config.tables()


@given(configs())
def test_overrides_can_say_everything(config):
    overrides = [
        f"{table}.{key}={value if not isinstance(value, bool) else str(value).lower()}"
        for table, options in config.tables().items()
        for key, value in options.items()
        if not isinstance(value, str) or value.strip() == value
    ]
    # what no override can say: texts that start or end with a space
    spaced = {key for key, value in config.tables()["features"].items() if value.strip() != value}
    features = replace(config.features, **{key: getattr(FeaturesConfig(), key) for key in spaced})
    assert Config().with_overrides(overrides) == replace(config, features=features)


def test_toml_by_hand():
    text = """
    [system]
    name = "arc-hybrid"
    [learner]
    name = "adagrad-rda"
    alpha = 1
    lambda = 1e-6
    [train]
    epochs = 3
    """
    config = Config.from_toml(text)
    assert config.system.name == "arc-hybrid"
    assert config.learner.alpha == 1.0
    assert type(config.learner.alpha) is float
    assert config.learner.lambda_ == 1e-6
    assert config.train.epochs == 3
    assert config.oracle == OracleConfig()


def test_from_a_file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text('[features]\nname = "zn11"\n')
    assert Config.from_file(path).features.name == "zn11"
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"my\.toml: is not UTF-8 text"):
        Config.from_file(path)
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        Config.from_file(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[systems]", "my.toml: no table [systems], did you mean 'system'?"),
        (
            "[qqq]",
            "my.toml: no table [qqq], expected one of system, features, learner, oracle, explore, train, trees",
        ),
        ("epochs = 3", "my.toml: no table [epochs], expected one of"),
        ("system = 3", "my.toml: system = 3, expected a table [system]"),
        ("[train]\nepoch = 3", "my.toml: no option train.epoch, did you mean 'epochs'?"),
        ("[train]\nepochs = 0", "my.toml: train.epochs = 0, expected 1 to 2147483647"),
        ("[train]\nepochs = 2.0", "my.toml: train.epochs = 2.0, expected a whole number"),
        ("[train]\nepochs = true", "my.toml: train.epochs = True, expected a whole number"),
        ("[train]\nseed = 9223372036854775808", "expected 0 to 9223372036854775807"),
        (f"[learner]\nmargin = 1{'0' * 400}", ", expected 0 to 1000000"),
        ("[explore]\np = 1.5", "my.toml: explore.p = 1.5, expected 0 to 1"),
        ("[explore]\np = nan", "my.toml: explore.p = nan, expected a number"),
        ("[train]\nlabelled = 1", "my.toml: train.labelled = 1, expected true or false"),
        ("[learner]\nname = 'perceptrn'", "learner.name = 'perceptrn', did you mean 'perceptron'?"),
        ("[learner]\nname = 1", "expected one of perceptron, passive-aggressive, adagrad-rda, regression"),
        ("[learner]\nlambda_ = 1", "no option learner.lambda_, did you mean 'lambda'?"),
        ("[features]\nname = 1", "features.name = 1, expected text"),
        ("[features", "my.toml: is not TOML: "),
    ],
)
def test_what_is_wrong_in_a_file(text, message):
    with pytest.raises(ConfigError) as caught:
        Config.from_toml(text, "my.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tables_that_are_none():
    with pytest.raises(ConfigError, match="expected tables of options"):
        Config.from_tables([])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("epochs", "'epochs': expected option=value"),
        ("epochs=many", "'epochs=many': train.epochs = 'many', expected a whole number"),
        ("epoch=3", "no option 'epoch', did you mean 'epochs'?"),
        ("train.epoch=3", "no option train.epoch, did you mean 'epochs'?"),
        ("trian.epochs=3", "no option 'trian.epochs': no table 'trian', did you mean 'train'?"),
        ("name=x", "no option 'name': say which, one of system.name, features.name"),
        ("train=3", "no option 'train'"),
        ("labelled=maybe", "train.labelled = 'maybe', expected true or false"),
        ("alpha=0", "learner.alpha = 0.0, expected 1e-06 to 1000000"),
        ("p=nan", "explore.p = nan, expected a number"),
        ("seed=" + "9" * 5000, "expected a whole number"),
        ("system=arc-eagre", "system.name = 'arc-eagre', did you mean 'arc-eager'?"),
    ],
)
def test_what_is_wrong_in_an_override(override, message):
    with pytest.raises(ConfigError) as caught:
        Config().with_overrides([override])
    assert message in str(caught.value)


def test_short_overrides():
    config = Config().with_overrides(["system = arc-standard", "features=my=set", "pos=upos", "seed=7", "epochs=2"])
    assert config.system.name == "arc-standard"
    assert config.features == FeaturesConfig("my=set", "upos")
    assert config.train == TrainConfig(epochs=2, seed=7)


def test_later_overrides_win():
    assert Config().with_overrides(["epochs=2", "train.epochs=3"]).train.epochs == 3


def test_every_option_says_what_it_is():
    for type_ in TABLES.values():
        for f in fields(type_):
            assert f.metadata["help"]
