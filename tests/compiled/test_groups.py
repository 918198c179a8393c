"""Joining groups against the obvious way: all pairs compared anew after every step."""

import pytest

from parser.compiled.groups import Costs, base_group, chunk_of, in_pattern, join_all, joining, make_chunks, patterns
from parser.compiled.groups import before as needed_by
from parser.feature.library import named_set
from parser.feature.plan import make_plan
from parser.feature.templates import parse_templates


def slow_join_all(groups):
    groups = sorted(groups, key=lambda group: group.order)
    while True:
        pairs = [
            (cost, a.order, b.order, i, k)
            for i, a in enumerate(groups)
            for k, b in enumerate(groups)
            if i != k and (cost := joining(a, b)) is not None
        ]
        if not pairs:
            return sorted(groups, key=lambda group: group.order)
        *_, i, k = min(pairs)
        groups = [g for n, g in enumerate(groups) if n not in (i, k)] + [groups[k].joined(groups[i])]


ODD = "{s0,n0}.{w,p,wp}; s0.p n0.p; s0.p n0.p dist(s0,n0); n0.w n1.w; s0.w s0.h.p; s0.{l,r}.wp"
SETS = {"zn11": None, "hybrid2013": None, "odd": ODD}


@pytest.mark.parametrize("name", SETS)
def test_the_groups_are_those_of_the_obvious_way(name):
    plan = make_plan(named_set(name) if SETS[name] is None else parse_templates(SETS[name], name), "xpos")
    joined = 0
    for chunk in make_chunks(plan):
        numbers = range(len(plan.rules))
        rules = [n for n in numbers if chunk_of(plan, n) == chunk.anchor]
        costs = Costs()
        base = [base_group(plan, number) for number in rules]
        groups = join_all(base, costs)
        assert groups == slow_join_all(base)
        needs = [needed_by(plan, node) for node in range(len(plan.nodes))]
        for present in list(patterns(plan, chunk.bits))[::5]:
            live = list(in_pattern(plan, groups, chunk.bits, present, needs))
            found = join_all(live, costs)
            assert found == slow_join_all(live)
            joined += len(live) - len(found)
        joined += len(base) - len(groups)
    assert joined > 0


def test_tags_are_added_to_the_tags_that_are_looked_up_anyway():
    plan = make_plan(parse_templates("n0.p; n1.p; n0.p n1.p; n0.u; n0.w n1.p; s0.p n0.p; s0.p", "tags"), "xpos")
    groups = {chunk.anchor: chunk.patterns[-1].groups for chunk in make_chunks(plan)}
    found = {frozenset(str(plan.rules[n].template) for n in group.rules) for here in groups.values() for group in here}
    assert {"n0.p", "n1.p", "n0.p n1.p"} in found, "the buffer's words are one chunk"
    assert {"n0.u"} in found, "a group gets no values by it"
    assert {"s0.p"} in found, "a word's own stay apart from those of two"
    assert {"s0.p n0.p"} in found
