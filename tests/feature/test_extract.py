"""The compiled extractor against the slow reference, on random reachable states, and against worked examples."""

import json
import random

import pytest
from random_states import EVERYTHING, LABELS, SYSTEMS, scenes, view_of

from parser.feature.atoms import Atomizer
from parser.feature.extract import Extractor
from parser.feature.library import SETS, named_set
from parser.feature.reference import Reference, View
from parser.feature.templates import parse_templates
from parser.transition import get_system

CLUSTERS = {"cat": "0110", "of": "10", "vidas": "0111101"}
STACK_SETS = [name for name in SETS if "easyfirst" not in name]
LIST_SETS = [name for name in SETS if "easyfirst" in name]
EVERY_PAIR = """\
span(p0); leaf(p1); p-2.w; p-1.wp p3.u; p0.t p1.t dist(p0,p1); p0.l.L p1.r2.p; labelset(p0,left) valency(p1,right)
if(p0,adp) p0.w p1.l.w; if(p1,cc) p1.w p2.w; dist(p-1,p0,coarse)
"""


def twin(templates, pos):
    extractor = Extractor(templates, pos)
    return extractor, Atomizer(extractor.plan, CLUSTERS), Reference(templates, pos, LABELS, CLUSTERS)


def check_scene(scene, extractor, atomizer, reference):
    keys = extractor.keys(scene.raw, atomizer.sentence(scene.columns), scene.view.pair)
    expected = reference.features(scene.view, scene.columns)
    assert keys[0] == expected[0].key == 1
    assert sorted(keys.tolist()) == sorted(feature.key for feature in expected)
    assert len(set(keys.tolist())) == len(keys)
    assert 0 not in keys


@pytest.mark.parametrize(("system", "root"), SYSTEMS)
@pytest.mark.parametrize("name", STACK_SETS)
def test_twin_named_sets(name, system, root):
    parts = twin(named_set(name), "xpos")
    for scene in scenes(system, root, 12, seed=len(name)):
        check_scene(scene, *parts)


@pytest.mark.parametrize(("system", "root"), SYSTEMS)
@pytest.mark.parametrize("pos", ["xpos", "upos"])
def test_twin_everything(pos, system, root):
    parts = twin(parse_templates(EVERYTHING, "everything"), pos)
    for scene in scenes(system, root, 60, seed=2):
        check_scene(scene, *parts)


@pytest.mark.parametrize("root", ["first", "none"])
@pytest.mark.parametrize("pos", ["xpos", "upos"])
def test_twin_easy_first(pos, root):
    for templates in (*map(named_set, LIST_SETS), parse_templates(EVERY_PAIR, "pairs")):
        parts = twin(templates, pos)
        for scene in scenes("easy-first", root, 60, seed=3):
            check_scene(scene, *parts)


def test_rich_where_pos_is_upos():
    parts = twin(named_set("rich"), "upos")
    for scene in scenes("arc-eager", "last", 20, seed=4):
        check_scene(scene, *parts)


# Slot sensitivity: one cell of one word is changed

FRESH = {
    "form": "Zq7yxwvutʘ",
    "lemma": "freshlemma",
    "upos": "FRESH",
    "xpos": "FRESHX",
    "feats": "Case=New|Number=New|Number[psor]=New|Person=New|VerbForm=New",
}
READS = {
    "w": {"form"},
    "m": {"lemma"},
    "u": {"upos"},
    "x": {"xpos"},
    "p": {"xpos"},
    "f": {"feats"},
    "feat": {"feats"},
    "t": {"form", "upos", "xpos"},
    "if": {"upos", "xpos"},
}
READS |= {name: {"form"} for name in ("prefix", "suffix", "shape", "lower", "cluster")}
EXACT = {"w", "m", "u", "x", "p", "f", "feat", "prefix", "suffix", "lower"}


def mentions(template, view, word, column, kinds=None):
    return any(
        column in READS.get(atom.kind, ())
        and view.find(atom.nodes[0]) == word
        and (kinds is None or atom.kind in kinds)
        for atom in template.atoms
    )


def may_change(template, view, word, column):
    """A form `_` makes the lemma `_` a real one, so the form matters there too."""
    return mentions(template, view, word, column) or (column == "form" and mentions(template, view, word, "lemma"))


def changed_templates(scene, column, word, keys_of, fired):
    """The templates whose key is gone after one cell was changed."""
    cells = {**scene.columns, column: list(scene.columns[column])}
    cells[column][word - 1] = FRESH[column]
    after = keys_of(scene, cells)
    return {str(template) for key, template in fired.items() if key not in after}


@pytest.mark.parametrize("name", [*SETS, "everything"])
def test_slot_sensitivity(name):
    """Changing a cell changes the templates that mention it, and no others; in the end every template has reacted to
    every column that it reads."""
    templates = parse_templates(EVERYTHING, name) if name == "everything" else named_set(name)
    extractor, atomizer, reference = twin(templates, "xpos")

    def keys_of(scene, columns):
        return set(extractor.keys(scene.raw, atomizer.sentence(columns), scene.view.pair).tolist())

    missing = {
        (str(t), column)
        for t in templates.templates
        for atom in t.atoms
        if atom.kind in EXACT
        for column in READS[atom.kind]
    }
    systems = (
        [("easy-first", "first")] if templates.family == "list" else [("arc-eager", "last"), ("arc-standard", "first")]
    )
    nodes = {node for t in templates.templates for atom in t.atoms for node in atom.nodes}
    for system, root in [*systems, *systems]:
        for scene in scenes(system, root, 150, seed=len(missing)):
            fired = {f.key: f.template for f in reference.features(scene.view, scene.columns) if f.template}
            words = {scene.view.find(node) for node in nodes} - {None, 0}
            for word, column in sorted((word, column) for word in words for column in templates.columns("xpos")):
                gone = changed_templates(scene, column, word, keys_of, fired)
                assert gone <= {str(t) for t in fired.values() if may_change(t, scene.view, word, column)}
                assert gone >= {str(t) for t in fired.values() if mentions(t, scene.view, word, column, EXACT)}
                missing -= {(template, column) for template in gone}
            if not missing:
                return
    assert not missing


def test_labels_valencies_and_distances_matter():
    """Two states that differ in one label or in one more word on the stack differ in the features that say so."""
    templates = named_set("zn11")
    extractor, atomizer, _ = twin(templates, "xpos")
    system = get_system("arc-eager", labels=LABELS)

    def keys(path, n=4):
        state = system.initial(n)
        for move in path:
            state.apply(move)
        rows = atomizer.sentence({"form": ["a"] * n, "xpos": ["T"] * n})
        return set(extractor.keys(state.cursor.raw(), rows).tolist())

    base = keys(["SHIFT", "SHIFT", "LEFT:det"])
    other_label = keys(["SHIFT", "SHIFT", "LEFT:subj"])
    assert len(base - other_label) == 3  # n0.l.L and the two label sets of n0
    assert len(base) == len(other_label)
    more = keys(["SHIFT", "SHIFT", "LEFT:det", "SHIFT"])
    assert base != more


# Worked examples


def vector_name(template):
    """`s0.wp n0.l.p dist(s0,n0)` as the vectors call it: s0wp.n0lp.d"""
    names = []
    for part in str(template).split():
        if part.startswith("dist"):
            names.append("d")
        elif "(" in part:
            kind, _, inside = part[:-1].partition("(")
            node, side = inside.split(",")
            names.append(f"{node}{'v' if kind == 'valency' else 's'}{side[0]}")
        else:
            names.append(part.replace(".", ""))
    return ".".join(names)


def vector_value(feature):
    values = []
    last = None
    for atom, value in zip(feature.template.atoms, feature.values, strict=True):
        shown = "NONE" if value is None else value
        if len(atom.kind) == 1 and last == atom.nodes and shown != "NONE":
            values[-1] += f"/{shown}"
        elif not (len(atom.kind) == 1 and last == atom.nodes):
            values.append(shown)
        last = atom.nodes
    return "|".join(values)


def test_worked_examples(vectors):
    """Goldberg & Nivre 2012, figure 1's sentence, with the 72 templates."""
    templates = named_set("zn11")
    lines = (vectors / "zn11_features.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 5
    for line in lines:
        example = json.loads(line)
        labels = sorted({move.partition(":")[2] for move in example["prefix"]} - {""} | {"root"})
        root = "last" if example["system"] == "eager_rootend" else "first"
        state = get_system("arc-eager", labels=labels, root=root).initial(len(example["forms"]))
        for move in example["prefix"]:
            state.apply(move)
        assert (state.stack, state.buffer) == (example["stack"], example["buffer"])
        columns = {"form": example["forms"], "xpos": example["tags"]}
        reference = Reference(templates, "xpos", labels)
        fired = reference.features(view_of(state), columns)
        assert {vector_name(f.template): vector_value(f) for f in fired[1:]} == example["features"]
        extractor = Extractor(templates, "xpos")
        rows = Atomizer(extractor.plan).sentence(columns)
        assert sorted(extractor.keys(state.cursor.raw(), rows).tolist()) == sorted(f.key for f in fired)


def test_features_read_well():
    reference = Reference(parse_templates("s0.wp n0.p; s0.w dist(s0,n0); s0.L", "t"), "xpos", LABELS)
    view = View(heads=[-1, -1, -1], labels=[-1, -1, -1], stack=[1], buffer=[3], root_last=True)
    fired = reference.features(view, {"form": ["her", "x", "letter"], "xpos": ["PRP", "Y", "NN"]})
    assert [str(f) for f in fired] == [
        "bias",
        "s0.wp n0.p = her | PRP | NN",
        "s0.w dist(s0,n0) = her | 2",
        "s0.L = NONE",
    ]


def test_keys_do_not_depend_on_the_set():
    """A template's key is its own: two sets that share it share its weights."""
    rng = random.Random(9)
    texts = named_set("rich").text.splitlines()
    shuffled = rng.sample(texts, len(texts))
    one, other = Extractor(named_set("rich"), "xpos"), Extractor(parse_templates("\n".join(shuffled), "t"), "xpos")
    for scene in scenes("arc-eager", "last", 10, seed=6):
        keys = [set(e.keys(scene.raw, Atomizer(e.plan).sentence(scene.columns)).tolist()) for e in (one, other)]
        assert keys[0] == keys[1]


def test_wrong_arguments_are_refused():
    extractor = Extractor(named_set("zn11"), "xpos")
    scene = next(iter(scenes("arc-eager", "last", 1, seed=1)))
    rows = Atomizer(extractor.plan).sentence(scene.columns)
    with pytest.raises(ValueError, match="do not belong together"):
        extractor.keys(scene.raw, rows, left=0)
    with pytest.raises(ValueError, match="bytes are not a state"):
        extractor.keys(scene.raw + b"0", rows)
