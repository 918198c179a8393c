"""Values of words: from batches and from lists the same; unknown words have them too; ROOT and NONE."""

import io

import numpy as np
import pytest
from samples import ALL, CONLL09, CONLLX

from parser.feature.atoms import Atomizer
from parser.feature.attributes import Attribute, attribute_text, feature_value, read_clusters, shape
from parser.feature.extract import Extractor
from parser.feature.hashing import NONE, ROOT_VALUE, seed_of, value_of
from parser.feature.templates import TemplateError, parse_templates
from parser.treebank import Reader

TEXT = """s0.w; s0.m; s0.u; s0.x; s0.f; s0.wp; s0.t
feat(s0,Case); suffix(s0,2); prefix(s0,1); shape(s0); lower(s0); cluster(s0)"""


def atomizer(text=TEXT, pos="xpos", clusters=None):
    extractor = Extractor(parse_templates(text, "t"), pos)
    names = [tuple(a.name for a in (extractor.plan.attributes[i] for i in ids)) for ids in extractor.plan.stored]
    return Atomizer(extractor.plan, clusters), names


def column(rows, names, *name):
    return rows[:, names.index(name)].tolist()


@pytest.mark.parametrize(("text", "layout"), [(ALL, "conllu"), (CONLLX, "conllx"), (CONLL09, "conll09")])
def test_batches_and_lists_give_the_same(text, layout):
    maker, _ = atomizer()
    other, _ = atomizer()
    seen = 0
    for batch in Reader(io.BytesIO(text.encode()), format=layout, heads="ignore").batches():
        for k, sentence in enumerate(batch):
            columns = {name: sentence.column(name) for name in ("form", "lemma", "upos", "xpos", "feats")}
            assert (maker.batch_sentence(batch, k) == other.sentence(columns)).all()
            seen += 1
    assert seen == text.count("\n\n")


def test_attributes_of_any_string_are_those_of_attributes_py():
    """ASCII words are cut up in C, others in Python."""
    text = "s0.w; shape(s0); lower(s0); feat(s0,Case); feat(s0,Number[psor]); feat(s0,A); s0.f"
    maker, names = atomizer(text + "".join(f"; suffix(s0,{n}); prefix(s0,{n})" for n in (1, 2, 3, 5)))
    rng = np.random.default_rng(4)
    letters = np.array([*"aaabzAAABZ0019-.'_|=", "\u00e9", "\u00c9", "\u4e2d", "\u0661"])
    plain = letters[:20]
    pieces = np.array(["Case=", "=", "|", "Nom", "A", "Number[psor]=Sing", "Cas", "Case", "e=1"])
    forms = ["".join(rng.choice(plain if k % 4 else letters, rng.integers(1, 12))) for k in range(2000)]
    forms += ["x" * 300, "X" * 256, "1" * 257, "Ab" * 128]
    feats = ["".join(rng.choice(pieces, rng.integers(1, 6))) for _ in forms]
    rows = maker.sentence({"form": forms, "feats": feats})[2:]
    for k, (name,) in enumerate(names):
        kind, _, argument = name.partition(":")
        cells = feats if kind in ("feat", "feats") else forms
        kind = {"form": "w", "feats": "f"}.get(kind, kind)
        for value, cell in zip(rows[:, k].tolist(), cells, strict=True):
            found = attribute_text(Attribute(kind, argument), cell, {}) if cell != "_" or cells is forms else None
            assert value == (NONE if found is None else value_of(found, seed_of(name))), (name, cell)


def test_values_are_hashes_of_strings():
    maker, names = atomizer()
    rows = maker.sentence(
        {
            "form": ["Straße", "of"],
            "upos": ["NOUN", "ADP"],
            "xpos": ["NN", "IN"],
            "feats": ["Case=Nom|Number=Sing", "_"],
        }
    )
    assert rows.shape == (4, len(names))
    assert column(rows, names, "form")[:2] == [NONE, ROOT_VALUE]
    assert column(rows, names, "form")[2:] == [value_of(word, seed_of("form")) for word in ("Straße", "of")]
    for name, found in (("suffix:2", ("ße", "of")), ("prefix:1", ("s", "o"))):
        assert column(rows, names, name)[2:] == [value_of(text, seed_of(name)) for text in found]
    assert column(rows, names, "feat:Case") == [NONE, ROOT_VALUE, value_of("Nom", seed_of("feat:Case")), NONE]
    assert column(rows, names, "feats")[3] == NONE
    assert column(rows, names, "lemma") == [NONE, ROOT_VALUE, NONE, NONE]
    tag = column(rows, names, "xpos")
    assert column(rows, names, "t")[2] == tag[2]  # a noun: the tag alone
    assert column(rows, names, "t")[3] not in (tag[3], NONE)  # an adposition: with the form
    assert column(rows, names, "cluster") == [NONE, ROOT_VALUE, NONE, NONE]


def test_the_underscore_as_a_word():
    maker, names = atomizer("s0.w; s0.m; s0.x")
    rows = maker.sentence({"form": ["_", "a"], "lemma": ["_", "_"], "xpos": ["_", "_"]})
    assert column(rows, names, "form")[2] == value_of("_", seed_of("form"))
    assert column(rows, names, "lemma")[2:] == [value_of("_", seed_of("lemma")), NONE]
    assert column(rows, names, "xpos")[2:] == [NONE, NONE]


def test_p_is_a_column():
    by_xpos, _ = atomizer("s0.p", "xpos")
    by_upos, _ = atomizer("s0.p", "upos")
    columns = {"form": ["a"], "xpos": ["NN"], "upos": ["NOUN"]}
    assert by_xpos.sentence(columns)[2, 0] == value_of("NN", seed_of("xpos"))
    assert by_upos.sentence(columns)[2, 0] == value_of("NOUN", seed_of("upos"))


def test_memory_of_strings_changes_nothing():
    maker, _ = atomizer()
    first = maker.sentence({"form": ["a", "b", "a"], "xpos": ["X", "Y", "X"]})
    for i in range(300):
        maker.sentence({"form": [f"w{i}", f"v{i}"], "xpos": [f"T{i}", "X"]})
    assert (maker.sentence({"form": ["a", "b", "a"], "xpos": ["X", "Y", "X"]}) == first).all()


def test_sentences_of_no_words_and_wrong_lengths():
    maker, names = atomizer()
    assert maker.sentence({"form": []}).shape == (2, len(names))
    with pytest.raises(ValueError, match="2 words but 1 cells in column 'xpos'"):
        maker.sentence({"form": ["a", "b"], "xpos": ["X"]})


def test_clusters(tmp_path):
    path = tmp_path / "paths.tsv"
    path.write_text("0110\tcat\t12\n0111\tdog\t7\n\n10\tof\n", "utf-8")
    clusters = read_clusters(str(path))
    assert clusters == {"cat": "0110", "dog": "0111", "of": "10"}
    maker, names = atomizer("cluster(s0); cluster(s0,3)", clusters=clusters)
    rows = maker.sentence({"form": ["cat", "dog", "of", "Cat"]})
    whole, short = column(rows, names, "cluster"), column(rows, names, "cluster:3")
    assert len({*whole[2:5]}) == 3
    assert whole[5] == NONE
    assert short[2] == short[3] != short[4]


def test_cluster_file_errors(tmp_path):
    (tmp_path / "bad.tsv").write_text("0110\tcat\nnothing\n", "utf-8")
    with pytest.raises(TemplateError, match=r"bad.tsv:2: expected cluster TAB form"):
        read_clusters(str(tmp_path / "bad.tsv"))
    with pytest.raises(TemplateError, match=r"cannot read cluster file .*: No such file"):
        read_clusters(str(tmp_path / "none.tsv"))
    for blank in ("", "\n  \n\t\n"):
        (tmp_path / "blank.tsv").write_text(blank)
        with pytest.raises(TemplateError, match=r"blank.tsv: holds no cluster, expected lines of cluster TAB form$"):
            read_clusters(str(tmp_path / "blank.tsv"))


def test_shapes_and_feats():
    assert [shape(word) for word in ("Word", "IBM's", "2024-11-18", "x", "McDonaldson", "見る", "")] == [
        "Xxxx",
        "XXX'x",
        "9999-99-99",
        "x",
        "XxXxxxx",
        "xx",
        "",
    ]
    assert feature_value("Case=Nom|Number[psor]=Sing", "Number[psor]") == "Sing"
    assert feature_value("Nom|Sing", "Nom") is None
    assert feature_value("Case=Nom", "Cas") is None


def test_one_row_per_word_and_two_more():
    maker, _ = atomizer()
    rows = maker.sentence({"form": ["a"] * 5})
    assert rows.dtype == np.uint64
    assert rows.shape[0] == 7
    assert (rows[2:] == rows[2]).all()
