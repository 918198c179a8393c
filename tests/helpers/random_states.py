"""Random reachable configurations of made-up sentences, as the compiled code and as the slow reference see them."""

import random
from dataclasses import dataclass

from parser.feature.reference import View
from parser.transition import get_system

LABELS = ("root", "subj", "obj", "det", "mod", "punct")
FORMS = ("The", "cat", "Straße", "wasn't", "IN", "of", "and", "3.5", "_", "見る", "x", "U.S.", "Cat", "vidas")
TAGS = ("NN", "IN", "CC", "DT", "VB", "_", "JJ")
UPOS = ("NOUN", "ADP", "CCONJ", "DET", "VERB", "_", "ADJ")
FEATS = ("_", "Case=Nom", "Case=Acc|Number=Sing|Person=3", "VerbForm=Fin|Number=Plur", "Nom|Sing", "Number[psor]=Sing")
SYSTEMS = (
    ("arc-eager", "last"),
    ("arc-eager", "first"),
    ("arc-standard", "first"),
    ("arc-hybrid", "first"),
    ("arc-hybrid", "last"),
    ("arc-hybrid", "none"),
)
# every letter, step and function of the template language
EVERYTHING = """\
s0.w; s1.p; s2.u; s3.x; n0.f; n1.m; n2.t; n3.w
s0.h.w; s0.h2.p; s0.l.L; s0.l2.L; s0.r.L; s0.r2.L; n0.l.l.p; n0.l.h.w
feat(s0,Case) feat(n0,Number[psor]); prefix(s0,1); suffix(s0.l,3); shape(n0); lower(n0); cluster(s0); cluster(s0,4)
dist(s0,n0); s0.p dist(s0,n0,5); dist(s0.l,s0,coarse) s0.w
valency(s0,left) s0.w; valency(s0,right,2); labelset(s0,left); labelset(n0,right) n0.w; leaf(s0)
if(s0,adp) s0.w n0.w; if(s0,cc) if(n0,adp) n0.w
s0.wpu n0.wpu suffix(s0,2) n0.x
"""


@dataclass
class Scene:
    columns: dict[str, list[str]]
    view: View
    raw: bytes


def sentence(rng: random.Random, n: int) -> dict[str, list[str]]:
    cells = {"form": FORMS, "lemma": (*FORMS, "_"), "upos": UPOS, "xpos": TAGS, "feats": FEATS}
    return {name: [rng.choice(choices) for _ in range(n)] for name, choices in cells.items()}


def view_of(state, pair=None) -> View:
    cursor = state.cursor
    if hasattr(state, "items"):
        return View(cursor.heads(), cursor.labels(), items=cursor.items(), pair=pair)
    return View(
        cursor.heads(),
        cursor.labels(),
        stack=cursor.stack(),
        buffer=cursor.buffer(),
        root_last=state.system.root == "last",
    )


def scenes(name: str, root: str, count: int, seed: int, longest: int = 12):
    """Configurations on random paths: of each sentence every second one, for easy-first with every pair."""
    rng = random.Random(seed)
    system = get_system(name, labels=LABELS, root=root)
    made = 0
    while made < count:
        n = rng.randint(1, longest)
        columns = sentence(rng, n)
        state = system.initial(n)
        while not state.is_final():
            if rng.random() < 0.5:
                pairs = state.items[:-1] if name == "easy-first" else [None]
                for pair in pairs:
                    yield Scene(columns, view_of(state, pair), state.cursor.raw())
                    made += 1
            moves = state.legal(labelled=False)
            move = rng.choice(moves)
            state.apply(f"{move}:{rng.choice(LABELS)}" if state.adds_arc(move.partition("@")[0]) else move)
