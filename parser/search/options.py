"""Which oracle teaches, and which states training visits: values, named after the papers that used them."""

from dataclasses import dataclass, replace

from parser.errors import UserError

ORACLES = ("static", "nondeterministic", "dynamic")
KINDS = ("errors", "sample")
FALLBACKS = ("best", "random")
UPDATES = ("perceptron", "logistic")
NEVER = 1 << 30


class DivergedError(UserError):
    """Training whose weights have grown beyond what a float holds."""

    def __init__(self) -> None:
        super().__init__("scores in training are not finite: its steps are too large, or their ridge too small")


class OptionError(UserError):
    """A combination of training options that makes no sense."""


@dataclass(frozen=True)
class Exploration:
    """What comes after a state, in iteration i = 1, 2, ...

    errors: a prediction without cost is followed; one with a cost is followed with probability p if i > k, else the
    next move is a zero-cost one, the best-scoring or a random one (fallback).
    sample: if i > k the next move is drawn from the model's distribution over the legal actions, else it is the
    best-scoring zero-cost one (Goldberg 2013, algorithm 3).
    """

    kind: str = "errors"
    k: int = 1
    p: float = 0.9
    fallback: str = "best"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise OptionError(f"exploration kind {self.kind!r}, expected {' or '.join(KINDS)}")
        if self.fallback not in FALLBACKS:
            raise OptionError(f"fallback {self.fallback!r}, expected {' or '.join(FALLBACKS)}")
        if not 0 <= self.k <= NEVER:
            raise OptionError(f"k={self.k}: the number of iterations before exploration is 0 to {NEVER}")
        if not 0 <= self.p <= 1:
            raise OptionError(f"p={self.p}: a probability lies between 0 and 1")

    @property
    def leaves_gold(self) -> bool:
        """Can a state be visited from which the gold tree cannot be reached?"""
        return self.kind == "sample" or (self.p > 0 and self.k < NEVER)


PRESETS = {
    # the best-scoring zero-cost move where the prediction has a cost
    "none": Exploration("errors", NEVER, 0.0, "best"),
    # Goldberg & Nivre 2012, algorithm 3 with CHOOSE_NEXT_AMB
    "ambiguity": Exploration("errors", NEVER, 0.0, "random"),
    # Goldberg & Nivre 2012, CHOOSE_NEXT_EXP: their p = 0.1 is the probability of *not* following an error
    "goldberg-nivre-2012": Exploration("errors", 2, 0.9, "random"),
    # Goldberg & Nivre 2013, algorithm 3 with EXPLORE
    "goldberg-nivre-2013": Exploration("errors", 1, 0.9, "best"),
    # the same program as Chang et al. 2015 ran it
    "chang-2015": Exploration("errors", 1, 1.0, "best"),
    # Goldberg 2013, algorithm 3; K = 0
    "sample": Exploration("sample", 0, 1.0, "best"),
    # Goldberg 2013, table 2: errors followed instead of sampling (p is not given there)
    "err": Exploration("errors", 0, 0.9, "best"),
}


def exploration(name: str, *, k: int | None = None, p: float | None = None) -> Exploration:
    """A preset, with another k or p where given."""
    if name not in PRESETS:
        raise OptionError(f"unknown exploration {name!r}, expected {', '.join(PRESETS)}")
    if name in ("none", "ambiguity") and (k is not None or p is not None):
        raise OptionError(f"exploration '{name}' has no k and no p")
    if name == "sample" and p is not None:
        raise OptionError("exploration 'sample' has no p: actions are drawn by their own probabilities")
    changes = {key: value for key, value in (("k", k), ("p", p)) if value is not None}
    return replace(PRESETS[name], **changes)


@dataclass(frozen=True)
class TrainOptions:
    """oracle: static (one derivation per tree; for easy-first: Goldberg & Elhadad's incomplete oracle),
    nondeterministic (any zero-cost move, never leaving the gold tree) or dynamic.

    update: for easy-first alone, whose candidates compete across places: "perceptron" (best correct up, prediction
    down) or "logistic" (all candidates, by their probabilities). With the other systems that is the learner's affair.
    """

    oracle: str = "dynamic"
    exploration: Exploration = PRESETS["goldberg-nivre-2013"]
    labelled: bool = True
    update: str = "perceptron"

    def __post_init__(self) -> None:
        if self.oracle not in ORACLES:
            raise OptionError(f"oracle {self.oracle!r}, expected {', '.join(ORACLES)}")
        if self.update not in UPDATES:
            raise OptionError(f"update {self.update!r}, expected {' or '.join(UPDATES)}")
        if self.oracle != "dynamic" and self.exploration.leaves_gold:
            raise OptionError(
                f"the {self.oracle} oracle knows nothing of states off the gold path: exploration must "
                "be 'none' or 'ambiguity'"
            )
