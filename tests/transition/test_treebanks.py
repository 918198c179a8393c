"""Real trees: zero-cost walks rebuild every one, and end with the best loss from anywhere else."""

import random

import pytest
from exhaustive import VARIANTS
from treebank_files import read_trees

from parser.transition import get_system
from parser.transition.drive import walker
from parser.treebank.tree import is_projective, lift

NAMES = [
    "Basque-BDT",
    "Chinese-GSD",
    "English-EWT",
    "French-Sequoia",
    "Korean-GSD",
    "Swedish-Talbanken",
    "Turkish-IMST",
]


def core_of(variant, labels):
    return get_system(
        variant.system,
        root=variant.root,
        labels=labels,
        attach_aware=variant.attach_aware,
        single_root=variant.single_root,
        root_label="root",
    ).core


def walk_all(variant, all_trees):
    labels = sorted({label for _, _, names in all_trees for label in names} | {"root"})
    ids = {label: i for i, label in enumerate(labels)}
    core = core_of(variant, labels)
    walk = walker(core, 3)
    rng = random.Random(2)
    walked = 0
    for name, heads, names in all_trees:
        # labels of words under ROOT that no move predicts are beside the point here
        known = [ids["root" if head == 0 else label] for head, label in zip(heads, names, strict=True)]
        if core.single_root and heads.count(0) != 1:
            continue
        assert walk.complete(heads, known, 0) == (0, 0), name
        best, reached = walk.complete(heads, known, rng.randrange(1, 2 * len(heads) + 1))
        assert reached == best >= 0, name
        walked += 1
    return walked


def sentences(folder, split, lifted):
    found = []
    for name, heads, labels in read_trees(folder / f"{split}.conllu"):
        if is_projective(heads):
            if not lifted:
                found.append((name, heads, labels))
        elif lifted:
            found.append((name, lift(heads)[0], labels))
    return found


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("lifted", [False, True], ids=["projective", "lifted"])
@pytest.mark.parametrize("name", NAMES)
def test_dev_trees(treebanks, name, variant, lifted):
    all_trees = sentences(treebanks / name, "dev", lifted)
    walked = walk_all(variant, all_trees[:150])
    assert walked > 0 or not all_trees


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_all_trees(treebanks, name, variant):
    for lifted in (False, True):
        for split in ("train", "dev"):
            assert walk_all(variant, sentences(treebanks / name, split, lifted))
