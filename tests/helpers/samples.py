"""Hand-written CoNLL-U, CoNLL-X and CoNLL-2009 with everything that the formats allow."""


def tabs(text: str) -> str:
    """Columns separated by ` | ` in the source, so that they can be read."""
    return text.replace(" | ", "\t")


PLAIN = tabs("""\
# sent_id = one
# text = Mi vidas.
1 | Mi | mi | PRON | PR | Case=Nom | 2 | nsubj | 2:nsubj | _
2 | vidas | vidi | VERB | VF | Tense=Pres | 0 | root | 0:root | SpaceAfter=No
3 | . | . | PUNCT | . | _ | 2 | punct | 2:punct | _

""")

MULTIWORD = tabs("""\
# newdoc id = d1
# sent_id = two
1-2 | au | _ | _ | _ | _ | _ | _ | _ | SpaceAfter=No
1 | à | à | ADP | _ | _ | 3 | case | _ | _
2 | le | le | DET | _ | Definite=Def | 3 | det | _ | _
3 | 10 000 | 10 000 | NUM | _ | _ | 0 | root | _ | Note=a b
3.1 | elided | elide | VERB | _ | _ | _ | _ | 3:orphan | _
3.2 | too | too | ADV | _ | _ | _ | _ | 3.1:advmod | _
4 | _ | _ | SYM | _ | _ | 3 | dep | _ | _

""")

EMPTY_FIRST = tabs("""\
0.1 | he | he | PRON | _ | _ | _ | _ | 1:nsubj | _
1 | 見る | 見る | VERB | _ | _ | 0 | root | 0:root | _

""")

UNPARSED = tabs("""\
# not parsed yet
1 | so | _ | _ | _ | _ | _ | _ | _ | _
2 | far | _ | _ | _ | _ | _ | _ | _ | _

""")

ALL = PLAIN + MULTIWORD + EMPTY_FIRST + UNPARSED

CONLLX = tabs("""\
1 | Mi | mi | P | PR | Nom | 2 | SBJ | 2 | SBJ
2 | vidas | vidi | V | VF | _ | 0 | ROOT | 0 | ROOT
3 | ! | ! | X | . | _ | 0 | P | _ | _

""")

CONLL09 = tabs("""\
1 | Mi | mi | mi | PR | PR | Nom | Nom | 2 | 2 | SBJ | SBJ | _ | _ | A0
2 | vidas | vidi | vidi | VF | VF | _ | _ | 0 | 0 | ROOT | ROOT | Y | vidi.01 | _

""")
