"""From scores to verdicts, on results made by hand."""

import pytest

REASON = "the benchmarks are beside the tests only in a checkout"
papers = pytest.importorskip("papers", reason=REASON)
verdicts = pytest.importorskip("verdicts", reason=REASON)


def results(**scores: list[list[float]]) -> dict:
    """regime=[[score of seed 1, of seed 2] of treebank A, the same of B]"""
    return {
        name: {
            treebank: {
                seed: {"scores": {"uas": score}, "n_weights": int(1000 * score)} for seed, score in enumerate(seeds, 1)
            }
            for treebank, seeds in zip("AB", per_treebank, strict=True)
        }
        for name, per_treebank in scores.items()
    }


def claim(least: float, most: float, kind: str = "difference") -> object:
    return papers.Claim("text", kind, "n_weights" if kind == "ratio" else "uas", "new", "old", least, most, 1.0)


def test_difference_is_paired_by_seed():
    found = results(new=[[81.0, 82.0], [71.0, 71.0]], old=[[80.0, 80.0], [71.0, 70.0]])
    verdict = verdicts.judge(claim(0.5, 100.0), found)
    assert verdict.found == pytest.approx(1.0)  # seeds: 0.5 and 1.5
    assert verdict.deviation == pytest.approx(0.5**0.5)
    assert (verdict.share, verdict.verdict) == ("2/2", "holds")


@pytest.mark.parametrize(
    ("new", "least", "most", "expected"),
    [
        (81.0, 0.5, 100.0, "holds"),
        (80.3, 0.5, 100.0, "in part"),
        (80.0, 0.5, 100.0, "does not hold"),
        (79.0, 0.5, 100.0, "does not hold"),
        (80.2, -0.3, 0.3, "holds"),
        (80.4, -0.3, 0.3, "does not hold"),
        (79.6, -0.3, 0.3, "does not hold"),
    ],
)
def test_verdict_of_a_difference(new, least, most, expected):
    found = results(new=[[new], [new]], old=[[80.0], [80.0]])
    verdict = verdicts.judge(claim(least, most), found)
    assert verdict.verdict == expected
    assert verdict.deviation is None
    assert (verdict.share == "") == (least < 0)


@pytest.mark.parametrize(
    ("new", "expected"), [(30.0, "holds"), (15.0, "in part"), (9.0, "does not hold"), (45.0, "more than claimed")]
)
def test_verdict_of_a_ratio(new, expected):
    found = results(new=[[new], [new]], old=[[10.0], [10.0]])
    verdict = verdicts.judge(claim(2.5, 4.0, "ratio"), found)
    assert verdict.found == pytest.approx(new / 10)
    assert verdict.verdict == expected


def test_a_treebank_with_fewer_seeds_counts_as_much_as_the_others():
    found = results(new=[[80.0, 90.0], [70.0, 70.0]], old=[[80.0, 80.0], [69.0, 69.0]])
    for regime in found.values():
        del regime["B"][2]
    assert verdicts.overall(found["new"], "uas") == 77.5
    assert verdicts.judge(claim(0.5, 100.0), found).found == pytest.approx(3.0)
    assert verdicts.by_seed(found["new"], "uas") == [80.0, 90.0]  # deviations are of treebanks with all seeds


def test_every_claim_names_regimes_of_its_experiment():
    for experiment in papers.EXPERIMENTS:
        names = {regime.name for regime in experiment.regimes}
        assert len(names) == len(experiment.regimes)
        for one in experiment.claims:
            assert {one.left, one.right} <= names, one.text
            assert one.paper is None or one.least <= one.paper <= one.most, one.text
        assert experiment.calibration in names | {""}


def test_the_papers_differences_follow_from_their_scores():
    for experiment in papers.EXPERIMENTS:
        scores = {regime.name: regime.paper for regime in experiment.regimes}
        for one in experiment.claims:
            left, right = scores[one.left].get(one.measure), scores[one.right].get(one.measure)
            if left is not None and right is not None and one.paper is not None:
                assert one.paper == pytest.approx(left - right, abs=0.015), one.text


def test_bins_are_pooled_by_their_counts():
    one = {"calibration": {"bins": [{"low": 0.9, "count": 30, "mean": 0.95, "correct": 1.0}]}}
    two = {"calibration": {"bins": [{"low": 0.9, "count": 10, "mean": 0.91, "correct": 0.6}]}}
    for results in ({"A": {1: one}, "B": {1: two}}, {"A": {1: one, 2: one}, "B": {1: two}}):
        (found,) = verdicts.pooled_bins(results)
        assert (found.count, found.mean, found.correct) == (40, pytest.approx(0.94), pytest.approx(0.9))


def test_calibration_is_judged_from_half_up():
    good = [verdicts.PooledBin(low / 10, 10, low / 10 + 0.05, low / 10 + 0.05) for low in range(5, 9)]
    good += [verdicts.PooledBin(0.2, 10, 0.25, 0.9), verdicts.PooledBin(0.9, 900, 0.98, 0.97)]
    assert {v.verdict for v in verdicts.judge_calibration(good)} == {"holds"}
    bad = [*good[:2], verdicts.PooledBin(0.7, 10, 0.75, 0.3), *good[3:]]
    assert [v.verdict for v in verdicts.judge_calibration(bad)][:2] == ["does not hold", "does not hold"]


def test_grid():
    values = {(k, p): 80 + p - k / 10 for k in (0, 1, 12) for p in (0.0, 0.5, 1.0)}
    more, early, weak = verdicts.judge_grid(values)
    assert (more.found, more.verdict) == (pytest.approx(1.0), "holds")
    assert (early.found, early.verdict) == (pytest.approx(1.2), "holds")
    assert (weak.found, weak.verdict) == (pytest.approx(0.6), "holds")
    assert verdicts.grid_table(values).splitlines()[2] == "| k=0 | 80.00 | 80.50 | 81.00 |"
