"""The template language: what it accepts, what it prints, what it refuses and how."""

import pytest
from random_states import EVERYTHING

from parser.feature.library import SETS, load_templates, named_set
from parser.feature.plan import make_plan
from parser.feature.templates import TemplateError, parse_templates

SIZES = {
    "zn11": 72,
    "zn11-hybrid": 82,
    "zn11-standard": 76,
    "hybrid2013": 49,
    "l2s": 362,
    "l2s-program": 368,
    "easyfirst": 102,
    "easyfirst-zn11": 167,
    "rich-easyfirst": 62,
    "fast": 51,
    "rich": 107,
    "rich-hybrid": 126,
    "rich-standard": 98,
    "lite": 83,
}


def texts(source):
    return [str(template) for template in parse_templates(source, "t").templates]


def test_one_line_several_templates_and_comments():
    assert texts("s0.w; s0.p   # both\n\n# nothing\n s0.w   n0.p ;\n") == ["s0.w", "s0.p", "s0.w n0.p"]


def test_braces_give_all_combinations_in_order():
    assert texts("{s0,n0}.{w,p} dist(s0,n0)") == [
        "s0.w dist(s0,n0)",
        "s0.p dist(s0,n0)",
        "n0.w dist(s0,n0)",
        "n0.p dist(s0,n0)",
    ]
    assert texts("valency(s0,{left,right})") == ["valency(s0,left)", "valency(s0,right)"]


def test_letters_of_one_node_are_separate_atoms():
    (template,) = parse_templates("s0.wp n0.l.pL", "t").templates
    assert [str(atom) for atom in template.atoms] == ["s0.w", "s0.p", "n0.l.p", "n0.l.L"]


def test_h2_is_the_head_of_the_head():
    assert texts("s0.h.h.p") == texts("s0.h2.p") == ["s0.h2.p"]


def test_identity_does_not_depend_on_the_order_of_atoms():
    one, other = (parse_templates(text, "t").templates[0] for text in ("s0.wp n0.p", "n0.p s0.p s0.w"))
    assert one.identity == other.identity
    assert one.identity != parse_templates("s0.wp n0.w", "t").templates[0].identity


def test_printed_text_is_read_back_as_the_same_set():
    found = parse_templates(EVERYTHING, "everything")
    assert parse_templates(found.text, "everything").templates == found.templates


@pytest.mark.parametrize("name", SETS)
def test_named_sets(name):
    found = named_set(name)
    assert parse_templates(found.text, name).templates == found.templates
    assert len(found) == SIZES.get(name, len(found))
    assert found.family == ("list" if "easyfirst" in name else "stack")
    assert len(make_plan(found, "xpos").rules) == len(found)


def test_lite_is_a_part_of_rich():
    lite, rich = ({str(template) for template in named_set(name).templates} for name in ("lite", "rich"))
    assert lite < rich


def test_columns():
    assert named_set("zn11").columns("xpos") == ("form", "xpos")
    assert named_set("zn11").columns("upos") == ("form", "upos")
    assert named_set("rich").columns("upos") == ("form", "upos", "feats")
    assert named_set("easyfirst").columns("xpos") == ("form", "upos", "xpos")
    assert parse_templates("s0.m", "t").columns("xpos") == ("lemma",)


def test_templates_that_become_one_run_once():
    assert len(make_plan(parse_templates("s0.p; s0.u; s0.p n0.w; s0.u n0.w", "t"), "upos").rules) == 2
    assert len(make_plan(parse_templates("s0.p; s0.u; s0.p n0.w; s0.u n0.w", "t"), "xpos").rules) == 4


def test_user_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("s0.w\ns0.w n0.w\n", "utf-8")
    assert [str(t) for t in load_templates(str(path)).templates] == ["s0.w", "s0.w n0.w"]


ERRORS = {
    "q0.w": "unknown node 'q0', expected s0 to s3, n0 to n3, or p-2 to p3",
    "s4.w": "unknown node 's4', expected s0 to s3, n0 to n3, or p-2 to p3",
    "s0": "'s0': a node needs letters (w p u x f m t L) behind a dot, as in s0.w",
    "s0.l": "'s0.l' ends in a step to a relative: letters must follow, as in s0.l.w",
    "s0.wz": "unknown letter 'z' in 's0.wz', expected w, p, u, x, f, m, t, L",
    "s0.": "'s0.': no letter behind the dot",
    "s0.q.w": "unknown step 'q' in 's0.q', expected h, h2, l, l2, r or r2",
    "s0.w s0.w": "'s0.w' stands twice in template 's0.w s0.w'",
    "s0.w\ns0.p\ns0.w": "3: template 's0.w' was already given in line 1",
    "s0.w; s0.w": "template 's0.w' was already given in the same line",
    "near(s0,n0)": "unknown function 'near', expected feat, prefix,",
    "dist(s0)": "'dist(s0)': expected dist(NODE,NODE), dist(NODE,NODE,CAP) or dist(NODE,NODE,coarse)",
    "dist(s0,s0)": "'dist(s0,s0)': the distance of a node from itself",
    "dist(s0,n0,99)": "'dist(s0,n0,99)': '99' does not fit, expected dist(NODE,NODE)",
    "valency(s0,up)": "'valency(s0,up)': 'up' does not fit, expected valency(NODE,left|right)",
    "suffix(s0,0)": "'suffix(s0,0)': '0' does not fit, expected suffix(NODE,LENGTH)",
    "suffix(s0,x)": "'x' does not fit",
    "feat(s0,Ca se)": "'Ca se' does not fit, expected feat(NODE,Attribute)",
    "feat(s0": "'feat(s0' is neither NODE.LETTERS nor FUNCTION(...)",
    "if(s0,adp)": "template 'if(s0,adp)' is nothing but a condition",
    "{s0,n0.w": "unpaired or nested brace in '{s0,n0.w'",
    "{s0,}.w": "empty alternative in '{s0,}.w'",
    "s0.w p0.w": "'p0' cannot stand in one set with 's0'",
    "span(s0)": "span() is known only for the nodes of easy-first, p-2 to p3",
    "# nothing": "no templates",
    " ".join(f"{{{a}}}.{{w,p,u,x,f,m,t,L}}" for a in ("s0,s1,s2,s3", "n0,n1,n2,n3", "n3,n1")): "stands for 16384",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_name_the_place_and_the_fault(text):
    with pytest.raises(TemplateError) as error:
        parse_templates(text, "mine.txt")
    message = str(error.value)
    assert message.startswith("mine.txt:")
    assert message.split(":")[1].isdigit()
    assert ERRORS[text] in message
    assert "\n" not in message


def test_errors_of_sources(tmp_path):
    with pytest.raises(TemplateError, match="unknown feature set 'zn12', expected rich, "):
        load_templates("zn12")
    with pytest.raises(TemplateError, match=r"cannot read feature file .*missing.txt: No such file"):
        load_templates(str(tmp_path / "missing.txt"))
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(TemplateError, match="not UTF-8 text"):
        load_templates(str(tmp_path / "bad.txt"))


def test_limits_of_plans():
    with pytest.raises(TemplateError, match="pos='tag', expected xpos or upos"):
        make_plan(named_set("zn11"), "tag")
    many = " ".join(f"s{i}.w n{i}.w s{i}.L" for i in range(4))
    with pytest.raises(TemplateError, match="looks at 12 things, at most 8"):
        make_plan(parse_templates(many, "t"), "xpos")
    chains = "; ".join(f"s0.{a}.{b}.{c}.w" for a in "hlr" for b in "hlr" for c in ("h", "l", "r", "l2", "r2"))
    with pytest.raises(TemplateError, match="more than 40 nodes in one feature set"):
        make_plan(parse_templates(chains, "t"), "xpos")
