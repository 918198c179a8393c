"""Writing: the same bytes, new trees and nothing else, other formats."""

import io

import hypothesis.strategies as st
import numpy as np
import pytest
import samples
from hypothesis import given
from plain_conllu import PlainSentence, read_plain
from samples import tabs

from parser.treebank import Batch, Reader, TreebankError, Writer
from parser.treebank.generate import generate


def read_batch(text, **options):
    reader = Reader(io.BytesIO(text.encode()), **{"format": "conllu", **options})
    batch = Batch()
    assert reader.fill(batch)
    return batch, reader


def rewrite(text, block_size=1 << 19, **options):
    out = io.BytesIO()
    with Writer(out) as writer:
        for batch in Reader(io.BytesIO(text.encode()), format="conllu", block_size=block_size, **options).batches():
            writer.write(batch)
    return out.getvalue().decode()


def written(text, heads, labels, names, **options):
    batch, _ = read_batch(text)
    out = io.BytesIO()
    with Writer(out, **options) as writer:
        writer.write(batch, heads, labels, names)
    return out.getvalue().decode()


@pytest.mark.parametrize("block_size", [64, 333, 1 << 19])
def test_the_same_bytes(block_size):
    assert rewrite(samples.ALL * 3, block_size) == samples.ALL * 3


@pytest.mark.parametrize("spoil", [
    lambda text: text.replace("\n", "\r\n"),
    lambda text: "\ufeff" + text,
    lambda text: text.rstrip("\n"),
    lambda text: "\n" + text.replace("\n\n", "\n\n\n"),
], ids=["crlf", "bom", "no final blank line", "several blank lines"])  # fmt: skip
def test_what_is_tolerated_is_written_strictly(spoil):
    assert rewrite(spoil(samples.ALL)) == samples.ALL


def test_a_real_conllx_and_conll09_file_keeps_its_bytes():
    for text, name in ((samples.CONLLX, "conllx"), (samples.CONLL09, "conll09")):
        out = io.BytesIO()
        with Writer(out) as writer:
            writer.write(read_batch(text, format=name)[0])
        assert out.getvalue().decode() == text


def test_new_trees_change_head_deprel_and_stale_deps_only():
    names = ["root", "dep:new"]
    heads = [0, 1, 1, 2, 3, 0, 3, 0, 0, 1]
    labels = [0, 1, 1, 1, 1, 0, 1, 0, 0, 1]
    expected = read_plain(samples.ALL)
    words = iter(zip(heads, labels, strict=True))
    for sentence in expected:
        for row in sentence.rows:
            if row[0].isdigit():
                head, label = next(words)
                row[6], row[7], row[8] = str(head), names[label], "_"
            elif "." in row[0]:
                row[8] = "_"
    text = "".join(sentence.text() for sentence in expected)
    assert written(samples.ALL, heads, labels, names) == text
    kept = read_plain(written(samples.ALL, heads, labels, names, keep_deps=True))
    old_deps = [row[8] for sentence in read_plain(samples.ALL) for row in sentence.rows]
    assert [row[8] for sentence in kept for row in sentence.rows] == old_deps


@pytest.mark.parametrize(("misc", "expected"), [
    ("_", "_"),
    ("SpaceAfter=No", "SpaceAfter=No"),
    ("HeadProb=0.9100|LabelProb=0.9000", "_"),
    ("HeadProb=0.9100", "_"),
    ("LabelProb=", "_"),
    ("HeadProb=", "_"),
    ("Gloss=x|HeadProb=0.9100|LabelProb=0.9000", "Gloss=x"),
    ("HeadProb=0.9100|Gloss=x|LabelProb=0.9000|SpaceAfter=No", "Gloss=x|SpaceAfter=No"),
    ("MyHeadProb=0.9100|HeadProbe=1", "MyHeadProb=0.9100|HeadProbe=1"),
    ("a|||b|", "a|||b|"),
])  # fmt: skip
@pytest.mark.parametrize("keep_deps", [False, True])
def test_probabilities_go_with_their_tree(misc, expected, keep_deps):
    """What an earlier parse said of its arcs says nothing of the new ones; what else stands in MISC stays."""
    row = "1\tMi\tmi\t_\t_\t_\t0\troot\t0:root\t{}\n\n"
    text = written(row.format(misc), [0], [0], ["r"], keep_deps=keep_deps)
    assert text == row.format(expected).replace("root", "r", 1).replace("0:root", "0:root" if keep_deps else "_")
    assert rewrite(row.format(misc)) == row.format(misc), "the tree is as it was: so is MISC"


def test_no_head_and_no_label_are_underscores():
    text = written(samples.PLAIN, [-1, -1, -1], [-1, -1, -1], ["root"])
    assert read_plain(text)[0].heads == [-1, -1, -1]
    assert read_plain(text)[0].column(7) == ["_", "_", "_"]


def test_trees_of_other_formats_keep_their_other_columns():
    out = io.BytesIO()
    with Writer(out) as writer:
        writer.write(read_batch(samples.CONLL09, format="conll09")[0], [0, 1], [0, 1], ["R", "x"])
    assert out.getvalue().decode() == tabs(
        "1 | Mi | mi | mi | PR | PR | Nom | Nom | 0 | 2 | R | SBJ | _ | _ | A0\n"
        "2 | vidas | vidi | vidi | VF | VF | _ | _ | 1 | 0 | x | ROOT | Y | vidi.01 | _\n\n"
    )


def test_single_sentences_can_be_written():
    batch, _ = read_batch(samples.ALL)
    out = io.BytesIO()
    with Writer(out) as writer:
        writer.write(batch[1])
        writer.write(batch[0], [0, 1, 1], [0, 0, 0], ["x"])
    plain = read_plain(out.getvalue().decode())
    assert plain[0].text() == samples.MULTIWORD
    assert plain[1].heads == [0, 1, 1]


def test_shapes_and_labels_are_checked():
    with pytest.raises(ValueError, match="heads has shape"):
        written(samples.PLAIN, [0], [0], ["x"])
    with pytest.raises(TreebankError, match="cannot stand in a treebank column"):
        written(samples.PLAIN, [0, 1, 1], [0, 0, 0], ["a\tb"])


def test_conversion_to_conllx_and_back():
    out = io.BytesIO()
    with Writer(out, "conllx") as writer:
        writer.write(read_batch(samples.ALL)[0])
    x = read_plain(out.getvalue().decode())
    assert writer.dropped == {"comments": 5, "multiwords": 1, "empty_nodes": 3}
    assert x[1].rows[2] == ["3", "10_000", "10_000", "NUM", "_", "_", "0", "root", "_", "_"]
    assert len(x[1].rows) == 4
    back = io.BytesIO()
    with Writer(back, "conllu") as writer:
        writer.write(read_batch(out.getvalue().decode(), format="conllx")[0])
    assert [s.rows for s in read_plain(back.getvalue().decode())] == [s.rows for s in x]


def test_conversion_from_and_to_conll09():
    out = io.BytesIO()
    with Writer(out, "conllu") as writer:
        writer.write(read_batch(samples.CONLL09, format="conll09")[0])
    assert out.getvalue().decode() == tabs(
        "1 | Mi | mi | _ | PR | Nom | 2 | SBJ | _ | _\n2 | vidas | vidi | _ | VF | _ | 0 | ROOT | _ | _\n\n"
    )
    nine = io.BytesIO()
    with Writer(nine, "conll09") as writer:
        writer.write(read_batch(samples.PLAIN)[0])
    assert nine.getvalue().decode().split("\n")[0] == tabs(
        "1 | Mi | mi | _ | PR | _ | Case=Nom | _ | 2 | _ | nsubj | _ | _ | _"
    )


# --- by chance -----------------------------------------------------------------------------------------------------

cells = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\u2028\u2029"), min_size=1)
forms = cells.map(lambda text: text.strip() or "_")
values = forms.map(lambda text: text.replace(" ", "_").replace("#", "h"))


@st.composite
def conllu_sentences(draw):
    n = draw(st.integers(1, 9))
    sentence = PlainSentence(["# " + draw(forms) for _ in range(draw(st.integers(0, 2)))])
    order = draw(st.permutations(range(1, n + 1)))
    heads = {word: draw(st.sampled_from([0, *order[:i]])) for i, word in enumerate(order)}
    free_from = 1
    for word in range(1, n + 1):
        if word >= free_from and word < n and draw(st.booleans()) and draw(st.booleans()):
            last = draw(st.integers(word + 1, n))
            sentence.rows.append([f"{word}-{last}", draw(forms), *["_"] * 7, draw(values)])
            free_from = last + 1
        row = [str(word), draw(forms), draw(forms), *(draw(values) for _ in range(3)), str(heads[word])]
        sentence.rows.append([*row, draw(values), draw(values), draw(forms)])
        for k in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            sentence.rows.append([f"{word}.{k + 1}", draw(forms), *["_"] * 6, draw(values), "_"])
    return sentence


@given(st.lists(conllu_sentences(), min_size=1, max_size=4), st.sampled_from([64, 150, 1 << 19]))
def test_any_valid_file_comes_back_byte_for_byte(sentences, block_size):
    text = "".join(sentence.text() for sentence in sentences)
    assert rewrite(text, block_size) == text
    batch, reader = read_batch(text)
    for sentence, plain in zip(batch, read_plain(text), strict=True):
        assert sentence.words == plain.column(1)
        assert sentence.heads.tolist() == plain.heads
        assert sentence.multiwords == plain.multiwords
        table = reader.vocab["form"]
        assert [table.string(k) for k in sentence.ids("form")] == plain.column(1)


@given(st.lists(conllu_sentences(), min_size=1, max_size=3), st.data())
def test_new_trees_touch_nothing_else(sentences, data):
    text = "".join(sentence.text() for sentence in sentences)
    n = sum(len(sentence.words) for sentence in sentences)
    heads = data.draw(st.lists(st.integers(-1, 200), min_size=n, max_size=n))
    names = data.draw(st.lists(values, min_size=1, max_size=3))
    labels = data.draw(st.lists(st.integers(-1, len(names) - 1), min_size=n, max_size=n))
    words = iter(zip(heads, labels, strict=True))
    for sentence in sentences:
        for row in sentence.words:
            head, label = next(words)
            row[6], row[7] = ("_" if head < 0 else str(head)), ("_" if label < 0 else names[label])
    expected = "".join(sentence.text() for sentence in sentences)
    assert written(text, heads, labels, names, keep_deps=True, check=False) == expected


def test_generated_sentences_are_read_back():
    text = "".join(generate(300, seed=4))
    assert rewrite(text) == text
    batch, reader = read_batch(text)
    assert reader.several_roots == 0
    assert len(batch) == 300


def test_the_generator_repeats_itself_for_a_seed_only():
    assert list(generate(20, seed=1)) == list(generate(20, seed=1))
    assert list(generate(20, seed=1)) != list(generate(20, seed=2))


def test_generated_trees_are_projective_with_one_root():
    from parser.treebank import tree

    for plain in read_plain("".join(generate(300, seed=2))):
        assert tree.is_projective(plain.heads)
        assert tree.problem(plain.heads, single_root=True) is None


def test_every_real_treebank_comes_back_byte_for_byte(treebanks):
    files = sorted(treebanks.glob("*/*.conllu"))
    assert files
    for path in files:
        source = path.read_bytes()
        same, rebuilt = io.BytesIO(), io.BytesIO()
        copier, rebuilder = Writer(same), Writer(rebuilt, keep_deps=True)
        with Reader(path) as reader:
            for batch in reader.batches():
                copier.write(batch)
                rebuilder.write(batch, batch.heads, batch.column_ids("deprel") - 3, reader.vocab["deprel"].strings())
        copier.flush()
        rebuilder.flush()
        assert same.getvalue() == source, path.name
        assert rebuilt.getvalue() == source, path.name
        assert np.all(batch.column_ids("form") >= 3)


def row_of(*cells):
    return "\t".join(map(str, cells)) + "\n"


def test_numbers_of_all_lengths_and_labels_longer_than_rows():
    n = 1100
    text = "".join(row_of(i, "w", "_", "X", "_", "_", "_", "_", "_", "_") for i in range(1, n + 1)) + "\n"
    names = ["x", "y" * 17, "z" * 300]
    rows = read_plain(written(text, np.arange(n), np.arange(n) % 4 - 1, names))[0]
    assert rows.column(6) == [str(i) for i in range(n)]
    assert rows.column(7) == ["_" if i % 4 == 0 else names[i % 4 - 1] for i in range(n)]


def test_rows_of_all_lengths_keep_what_is_not_new():
    rows = [
        row_of(i, "f" * i, "l" * (201 - i), "X", "_", "A=" + (i * 7 % 100) * "B", 0, "old", "_", "m" + (i % 70) * "n")
        for i in range(1, 201)
    ]
    found = written("".join(rows) + "\n", np.full(200, 150), np.zeros(200), ["new"], check=False)
    assert found == "".join(rows).replace("\t0\told\t", "\t150\tnew\t") + "\n"


@pytest.mark.parametrize("misc", ["HeadProb=0.5000|LabelProb=0.4000", "LabelProb=0.4000", "HeadProb=1.0000"])
def test_old_probabilities_go_wherever_they_stand(misc):
    for n in range(1, 130):
        row = row_of(1, "w" * n, "_", "X", "_", "_", "0", "root", "_", misc)
        assert written(row + "\n", [0], [0], ["root"]) == row.replace(misc, "_") + "\n"


def test_probabilities_have_four_decimals():
    chances = np.array([0, 0.00004, 0.00005, 0.1, 0.12345, 0.99994, 0.99996, 1], np.float32)
    n = len(chances)
    text = "".join(row_of(i, "w", "_", "X", "_", "_", "_", "_", "_", "_") for i in range(1, n + 1)) + "\n"
    found = read_plain(written_with(text, chances))[0].column(9)
    assert found == [f"HeadProb={p:.4f}|LabelProb={p:.4f}" for p in chances.tolist()]


def written_with(text, chances):
    batch, _ = read_batch(text)
    out = io.BytesIO()
    with Writer(out) as writer:
        writer.write(batch, np.zeros(len(chances)), np.zeros(len(chances)), ["x"], (chances, chances))
    return out.getvalue().decode()


@pytest.mark.parametrize("to", [None, "conllx"])
@pytest.mark.parametrize(
    ("heads", "line", "told"),
    [
        ([2, 0, 2, 2, 1, 0], 7, "word 1 is on a cycle of heads, expected every word to reach ROOT"),
        ([2, 0, 2, 0, 2, 1], 8, "word 2 is its own head"),
        ([2, 0, 2, 0, 1, 4], 9, "word 3 has head 4, expected 0..3"),
        ([2, 0, -2, 0, 1, 1], 5, "word 3 has head -2, expected 0..3"),
        ([-1, -1, -1, 0, -1, 1], 8, "word 2 has no head"),
        ([2, 3, 1, 0, 1, 1], 3, "word 1 is on a cycle of heads, expected every word to reach ROOT"),
    ],
)
def test_new_heads_that_are_no_tree_are_refused(to, heads, line, told):
    rows = "".join(row_of(i, "w", "_", "X", "_", "_", "_", "_", "_", "_") for i in (1, 2, 3)) + "\n"
    batch, _ = read_batch("# one\n# two\n" + rows + rows)
    out = io.BytesIO()
    with Writer(out, to) as writer:
        with pytest.raises(TreebankError) as caught:
            writer.write(batch, heads, [0] * 6, ["x"])
        assert str(caught.value) == f"<stream>:{line}: new heads: {told}"
        if line > 5:  # the second sentence's
            with pytest.raises(TreebankError, match=f"^<stream>:{line}: new heads: "):
                writer.write(batch[1], heads[3:], [0] * 3, ["x"])
    assert out.getvalue() == b""


def test_new_heads_may_have_several_roots_or_be_none():
    rows = "".join(row_of(i, "w", "_", "X", "_", "_", "_", "_", "_", "_") for i in (1, 2, 3)) + "\n"
    heads = [-1, -1, -1, 0, 0, 2]
    found = read_plain(written(rows + rows, heads, [0] * 6, ["x"]))
    assert [head for sentence in found for head in sentence.heads] == heads
