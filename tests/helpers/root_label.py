"""What must hold of a parser that knows the one label of words under ROOT, against one that does not."""

import numpy as np
from made_corpus import made_text, read


def check_one_label(known, free, label):
    """Sessions of both: such arcs are certain, and nothing else changes."""
    different = 0
    for batch in read(made_text(40, seed=8))[0]:
        one, other = known.parse_batch(batch, scores=True), free.parse_batch(batch, scores=True)
        root = one.heads == 0
        assert np.array_equal(one.heads, other.heads)
        assert (one.labels[root] == label).all()
        assert (one.labelled[root] == 1).all()
        assert np.array_equal(one.labels[~root], other.labels[~root])
        assert np.array_equal(one.labelled[~root], other.labelled[~root])
        without_chances = known.parse_batch(batch)
        assert np.array_equal(without_chances.heads, one.heads)
        assert np.array_equal(without_chances.labels, one.labels)
        different += int((other.labels[root] != label).sum())
    assert different > 10
