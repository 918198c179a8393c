"""Speed of the transition systems on one core: python benchmarks/transition.py [TRAIN.conllu]

Transitions applied per second: random legal ones over whole sentences, the choice of the transition included; and
"foreseen", the same over 12,000 sentences of the mean length that all take the same transitions, so that the processor
learns to foresee every branch: the difference is what wrong guesses cost. States costed per second (the costs of all
moves, labelled loss) on random walks, and on walks along the oracle with every eighth step random, as in training. Best
of several rounds. The trees are the projective ones of the file.
"""

import argparse
import array
import os
from pathlib import Path

from parser.transition import get_system, list_state, state
from parser.transition.drive import walker
from parser.treebank.tree import is_projective

SYSTEMS = [
    ("arc-eager", "last"),
    ("arc-eager", "first"),
    ("arc-standard", "first"),
    ("arc-hybrid", "first"),
    ("arc-hybrid", "last"),
    ("arc-hybrid", "none"),
    ("easy-first", "first"),
]


def read_trees(path: Path) -> list[tuple[list[int], list[str]]]:
    trees, heads, labels = [], [], []
    with path.open(encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            columns = line.rstrip("\n").split("\t")
            if columns[0].isdigit():
                heads.append(int(columns[6]))
                labels.append(columns[7])
            elif not line.strip() and heads:
                if is_projective(heads) and heads.count(0) == 1:
                    trees.append((heads, labels))
                heads, labels = [], []
    return trees


def apply_rate(core, lengths, rounds: int, **alike) -> float:
    walk = walker(core, 1)
    best = 0.0
    for _ in range(rounds):
        steps, _, seconds = walk.time_apply(lengths, **alike)
        best = max(best, steps / seconds)
    return best


def cost_rate(core, trees, wrong: int, rounds: int) -> float:
    """Every round costs the same states; a sentence counts with its fastest round, so that pauses do not."""
    fastest = [float("inf")] * len(trees)
    for _ in range(rounds):
        walk = walker(core, 1)
        states = 0
        for i, (heads, labels) in enumerate(trees):
            count, _, seconds = walk.time_costs(heads, labels, wrong)
            states += count
            fastest[i] = min(fastest[i], seconds)
    return states / sum(fastest)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("train", type=Path, nargs="?", help="default: English-EWT in the folder ARCSPEED_TREEBANKS")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--system", help="only systems whose name and root contain this, such as eager or hybrid-none")
    given = options.parse_args()
    if given.train is None and "ARCSPEED_TREEBANKS" not in os.environ:
        options.error("name a CoNLL-U file, or set ARCSPEED_TREEBANKS")
    train = given.train or Path(os.environ["ARCSPEED_TREEBANKS"]) / "English-EWT" / "train.conllu"
    named = read_trees(train)
    labels = sorted({label for _, tree_labels in named for label in tree_labels})
    ids = {label: i for i, label in enumerate(labels)}
    trees = [(heads, [ids[label] for label in tree_labels]) for heads, tree_labels in named]
    lengths = array.array("i", (len(heads) for heads, _ in trees))
    mean = round(sum(lengths) / len(lengths))
    print(f"{len(trees)} trees, {sum(lengths)} words, {len(labels)} labels")
    print(
        f"state of {mean} words: stack systems {state.bytes_of(mean)} bytes, easy-first {list_state.bytes_of(mean)}; "
        f"a word {state.sizes()['NodeC']}, header {state.sizes()['StateC']}"
    )
    heading = f"{'system':24}{'single root':>12}{'applied M/s':>13}{'foreseen':>10}"
    print(heading + f"{'costed M/s, random':>20}{'near the oracle':>17}")
    for name, root in SYSTEMS:
        if given.system and given.system not in f"{name}-{root}":
            continue
        for single_root in (False, True):
            core = get_system(name, root=root, labels=labels, single_root=single_root).core
            applied = apply_rate(core, lengths, given.rounds)
            costed = [cost_rate(core, trees, wrong, given.rounds) for wrong in (256, 32)]
            foreseen = "-"
            if name != "easy-first":
                foreseen = f"{apply_rate(core, array.array('i', [mean] * 12_000), given.rounds, alike=True) / 1e6:.1f}"
            print(
                f"{name + ' ' + root:24}{'yes' if single_root else 'no':>12}{applied / 1e6:13.1f}{foreseen:>10}"
                f"{costed[0] / 1e6:20.2f}{costed[1] / 1e6:17.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
