"""From results of runs to tables and verdicts. Results are indexed [regime name][treebank][seed]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import sub, truediv

from papers import CALIBRATION_PAPER, Claim, Experiment
from runs import deviation, markdown_table, mean

HOLDS, IN_PART, FAILS, MORE = "holds", "in part", "does not hold", "more than claimed"
CALIBRATED = 0.08  # a bin from 0.5 up is calibrated if the share that was right is as near its mean probability
TITLES = {
    "uas_no_punct": "UAS",
    "las_no_punct": "LAS",
    "uas": "UAS",
    "las": "LAS",
    "n_weights": "non-zero weights (thousands)",
}

Results = Mapping[str, Mapping[str, Mapping[int, dict]]]


@dataclass(frozen=True)
class Verdict:
    claim: str
    paper: float | None
    found: float
    deviation: float | None  # of the mean over treebanks, between seeds
    share: str  # in how many treebanks the mean difference has the claimed sign; empty where none is claimed
    verdict: str


def value_of(result: dict, measure: str) -> float:
    return result["n_weights"] / 1000 if measure == "n_weights" else result["scores"][measure]


def overall(results: Mapping[str, Mapping[int, dict]], measure: str) -> float:
    """The mean over seeds, then over treebanks: one with fewer seeds counts as much as the others."""
    return mean(treebank_mean(seeds, measure) for seeds in results.values())


def by_seed(results: Mapping[str, Mapping[int, dict]], measure: str) -> list[float]:
    """For every seed the mean over the treebanks that have all seeds: what deviations are taken of."""
    numbers = sorted(set().union(*results.values()))
    complete = [seeds for seeds in results.values() if len(seeds) == len(numbers)]
    return [mean(value_of(seeds[seed], measure) for seeds in complete) for seed in numbers]


def judge(claim: Claim, results: Results) -> Verdict:
    left, right = results[claim.left], results[claim.right]
    compare, neutral = (truediv, 1.0) if claim.kind == "ratio" else (sub, 0.0)
    values = list(map(compare, by_seed(left, claim.measure), by_seed(right, claim.measure)))
    gains = [compare(treebank_mean(left[t], claim.measure), treebank_mean(right[t], claim.measure)) for t in left]
    found = compare(overall(left, claim.measure), overall(right, claim.measure))
    directed = claim.least > neutral
    share = f"{sum(gain > neutral for gain in gains)}/{len(gains)}" if directed else ""
    verdict = verdict_of(claim, found, directed, neutral)
    return Verdict(claim.text, claim.paper, found, deviation(values), share, verdict)


def verdict_of(claim: Claim, found: float, directed: bool, neutral: float) -> str:
    if claim.least <= found <= claim.most:
        return HOLDS
    if directed and found > claim.most:
        return MORE
    return IN_PART if directed and found > neutral else FAILS


def treebank_mean(seeds: Mapping[int, dict], measure: str) -> float:
    return mean(value_of(result, measure) for result in seeds.values())


def score_table(experiment: Experiment, results: Results, measure: str) -> str:
    """Regimes by treebanks; the paper's mean is of other languages."""
    names = list(results[experiment.regimes[0].name])
    rows = []
    for regime in experiment.regimes:
        found = results[regime.name]
        seeds = by_seed(found, measure)
        per_treebank = [treebank_mean(found[name], measure) for name in names]
        rows.append([regime.name, regime.paper.get(measure), overall(found, measure), deviation(seeds), *per_treebank])
    return markdown_table([TITLES[measure], "paper", "mean", "dev.", *names], rows)


def verdict_table(verdicts: Sequence[Verdict]) -> str:
    rows = [[v.claim, v.paper, v.found, v.deviation, v.share, f"**{v.verdict}**"] for v in verdicts]
    return markdown_table(["claim", "paper", "found", "dev.", "treebanks", "verdict"], rows)


# Calibration (Goldberg 2013, table 4)


@dataclass(frozen=True)
class PooledBin:
    low: float
    count: float  # decisions of one seed, on average
    mean: float
    correct: float


def pooled_bins(results: Mapping[str, Mapping[int, dict]]) -> list[PooledBin]:
    """The bins of all treebanks, each with the mean of its seeds: every decision counts once."""
    found: dict[float, list[tuple[float, float, float]]] = {}
    for seeds in results.values():
        for result in seeds.values():
            for one in result["calibration"]["bins"]:
                share = one["count"] / len(seeds)
                found.setdefault(one["low"], []).append((share, one["mean"], one["correct"]))
    return [pool(low, parts) for low, parts in sorted(found.items())]


def pool(low: float, parts: Sequence[tuple[float, float, float]]) -> PooledBin:
    """parts: (decisions, mean probability, share that was right)"""
    total = sum(count for count, _, _ in parts)
    promised, right = sum(n * p for n, p, _ in parts), sum(n * right for n, _, right in parts)
    return PooledBin(low, total, promised / total, right / total)


def calibration_table(bins: Sequence[PooledBin]) -> str:
    rows = [
        [f"{b.low:.1f}", round(b.count), 100 * b.mean, 100 * b.correct, CALIBRATION_PAPER.get(b.low)]
        for b in bins
        if round(b.count)
    ]
    return markdown_table(["from", "decisions", "mean p %", "correct %", "paper, correct %"], rows)


def judge_calibration(bins: Sequence[PooledBin]) -> list[Verdict]:
    upper = [b for b in bins if b.low >= 0.5]
    worst = max(abs(b.correct - b.mean) for b in upper)
    rising = all(a.correct <= b.correct for a, b in pairwise(upper))
    sure = next((b for b in bins if b.low == 0.9), None)
    share = 100 * sure.count / sum(b.count for b in bins) if sure else 0.0
    right = 100 * sure.correct if sure else 0.0
    return [
        Verdict(
            "bins from 0.5 up: what is right is near what is promised (largest distance in points)",
            None, 100 * worst, None, "", HOLDS if worst <= CALIBRATED else FAILS,
        ),
        Verdict("bins from 0.5 up rise (1: yes)", 1.0, float(rising), None, "", HOLDS if rising else FAILS),
        Verdict("most decisions fall into the bin from 0.9 (percent)", 80.0, share, None, "",
                HOLDS if share > 50 else FAILS),
        Verdict("and 96 to 98 % of those are right", 97.0, right, None, "", HOLDS if 95 <= right <= 99 else FAILS),
    ]  # fmt: skip


# The grid k x p (Goldberg & Nivre 2013, figure 1)


def judge_grid(values: Mapping[tuple[int, float], float]) -> list[Verdict]:
    """values: mean UAS by (k, p). Lower k and higher p are better, with a weak dependence where p is large."""
    ks, ps = sorted({k for k, _ in values}), sorted({p for _, p in values})
    high = [p for p in ps if p >= 0.5]
    gain_p = mean(values[k, ps[-1]] for k in ks[:2]) - mean(values[k, ps[0]] for k in ks[:2])
    gain_k = mean(values[ks[0], p] for p in high) - mean(values[ks[-1], p] for p in high)
    early = [values[k, p] for k in ks if k <= 3 for p in high]
    spread = max(early) - min(early)
    return [
        Verdict(f"following errors often is better: p={ps[-1]:g} over p={ps[0]:g} at k <= {ks[:2][-1]}", None, gain_p,
                None, "", direction(gain_p)),
        Verdict(f"exploring early is better: k={ks[0]} over k={ks[-1]} at p >= 0.5", None, gain_k, None, "",
                direction(gain_k)),
        Verdict("the dependence is weak as long as errors are followed often: spread at k <= 3, p >= 0.5", None,
                spread, None, "", HOLDS if spread <= 1 else FAILS),
    ]  # fmt: skip


def direction(gain: float, least: float = 0.2) -> str:
    return HOLDS if gain >= least else IN_PART if gain > 0 else FAILS


def grid_table(values: Mapping[tuple[int, float], float]) -> str:
    ks, ps = sorted({k for k, _ in values}), sorted({p for _, p in values})
    return markdown_table(["UAS", *(f"p={p:g}" for p in ps)], [[f"k={k}", *(values[k, p] for p in ps)] for k in ks])
