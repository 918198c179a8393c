"""A parser made to fit into a file of a given size, by leaving out the weights that it would miss least."""

from dataclasses import asdict, dataclass, replace

import numpy as np

from parser.assemble import Assembly
from parser.errors import UserError
from parser.pipeline import Parser
from parser.score.prune import order_of_use, rows_among, with_only
from parser.score.weights import TYPES, Weights
from parser.train.data import Treebank
from parser.train.decisions import Judge
from parser.train.dev import DevScores, gold_labels, percent
from parser.train.reliability import any_curves
from parser.train.temperature import fitted_factor, scaled

ROW, WEIGHT = 12.0, 2.0  # bytes in the file, about: only for the first guess
NEAR = 0.995  # of the size that is allowed: near enough
GUESSES = 12
LONG_SHARE, LONG_FACTOR, LONG_COUNT = 0.12345678901234567, 1.23e-05, 10**9 - 1  # as many digits as such numbers have


class BudgetError(UserError):
    """A size that no parser of this kind fits into."""

    exit_code = 2


@dataclass(frozen=True)
class Cost:
    """What a parser takes and gives: `las` on a development set, all words, None without one."""

    n_bytes: int
    rows: int
    weights: int
    las: float | None


def cost_of(parser: Parser, slim: bool, dev: Treebank | None) -> Cost:
    las = None if dev is None else las_of(parser, dev)
    return Cost(parser.file_size(slim=slim), parser.size["rows"], parser.size["weights"], las)


def las_of(parser: Parser, treebank: Treebank) -> float:
    """As a user gets it: with the tables that parsing uses."""
    found = [parser.parse_rows(batch) for batch in treebank.batches]
    heads, labels = (np.concatenate([getattr(part, name) for part in found]) for name in ("heads", "labels"))
    return percent((heads == treebank.heads) & (labels == gold_labels(treebank, parser.labels)))


def shrunk(parser: Parser, budget: int, slim: bool, judge: Judge | None = None) -> Parser:
    """The parser itself if its file has at most so many bytes, else one that fits.

    judge: sentences on which its probabilities are made right again: fewer weights give smaller scores.
    """
    if parser.file_size(slim=slim) <= budget:
        return parser
    small = fitting(parser, budget, slim)
    if judge is None or parser.assembly.is_probabilistic:
        return small
    factor = fitted_factor(small.weights, parser.assembly, judge)
    if factor is None:
        return small
    about = small.provenance | {"score_factor": float(f"{(small.provenance['score_factor'] or 1) * factor:.3g}")}
    fitted = replace(small, _weights=scaled(small.weights, factor), provenance=about)
    # other roundings may have made it larger by a few bytes
    return fitted if fitted.file_size(slim=slim) <= budget else fitting(fitted, budget, slim)


def fitting(parser: Parser, budget: int, slim: bool) -> Parser:
    """With as many weights, the most useful ones, as fit; found by trying."""
    weights, best = parser.weights, None
    order = order_of_use(weights)
    guess = ROW * rows_among(weights, order) + WEIGHT * np.arange(len(order) + 1)
    least = with_weights(parser, with_only(weights, order[:0])).file_size(slim=slim)
    require_room(budget, least)
    low, high, factor = 0, len(order), 1.0
    for _ in range(GUESSES):
        n = int(np.searchsorted(guess * factor, budget - least, side="right")) - 1
        n = min(max(n, low), high)
        tried = with_weights(parser, with_only(weights, order[:n]))
        size = tried.file_size(slim=slim)
        if size <= budget:
            low, best = n, tried
        else:
            high = n - 1
        if low >= high or NEAR * budget <= size <= budget:
            break
        factor = max(size - least, 1) / max(guess[n], 1) * (1 if size <= budget else 1.001)
    return best or with_weights(parser, with_only(weights, order[:low]))


def require_room(budget: int, least: int, about: str = "") -> None:
    """BudgetError where not even a model without weights has room. about: how exactly its size is known."""
    if least > budget:
        raise BudgetError(f"a budget of {budget:,} bytes: without any weights the model takes {about}{least:,}")


def least_parser(assembly: Assembly, about: dict, clusters: dict | None, dev: Treebank | None) -> Parser:
    """Known before training: what it and the least budget give, with the longest of the numbers that a model tells of
    its training. `about`: all that it tells besides."""
    train = assembly.config.train
    scores = None if dev is None else asdict(DevScores(*[LONG_SHARE] * 4))
    seeds = range(train.seed, train.seed + train.ensemble)
    told = {"epochs": train.epochs, "best_epoch": train.epochs, "dev": scores}
    about = about | {
        "seeds": [{"seed": seed, **told} for seed in seeds],
        "score_factor": LONG_FACTOR,
        "shrunk_from": {"rows": LONG_COUNT, "weights": LONG_COUNT},
    }
    curves = None if dev is None else any_curves(dev.n_words)
    return Parser(assembly, no_weights(assembly), about, clusters, reliability=curves)


def no_weights(assembly: Assembly) -> Weights:
    none = {name: np.zeros(int(name == "offsets"), dtype) for name, dtype in TYPES.items()}
    return Weights(assembly.n_actions, **none)


def with_weights(parser: Parser, weights) -> Parser:
    full = parser.provenance.get("shrunk_from", parser.size)
    about = parser.provenance | {"shrunk_from": full}
    return replace(parser, _weights=weights, stored=None, known_size=None, provenance=about)
