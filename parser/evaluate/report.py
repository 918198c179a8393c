"""Everything that is measured on one output, as one value; and that value as a dict for JSON and as rows for a table.

Rows are tuples of strings, the first one the heading. Nothing is printed here.
"""

from dataclasses import asdict, dataclass

from parser.evaluate.attachment import Attachment, attachment, clas, official
from parser.evaluate.breakdown import (
    Confusion,
    LabelScore,
    LengthScore,
    by_arc_length,
    by_label,
    by_sentence_length,
    confusions,
)
from parser.evaluate.comparison import (
    Comparison,
    Words,
    all_words,
    compare,
    right_words,
    sentence_counts,
    without_punctuation,
)
from parser.evaluate.corpus import Corpus
from parser.evaluate.score import Score
from parser.evaluate.significance import RESAMPLES, PairedBootstrap, paired_bootstrap

TESTED = ("UAS", "LAS", "LAS universal")  # metrics whose difference is tested between two outputs
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """All figures over one choice of scored words."""

    attachment: Attachment
    labels: list[LabelScore]
    arc_lengths: list[LengthScore]
    sentence_lengths: list[LengthScore]
    confusions: list[Confusion]


@dataclass(frozen=True, slots=True)
class Evaluation:
    comparison: Comparison
    punctuation: str  # the convention: a name of punctuation.CONVENTIONS
    subtypes: bool  # are labels listed and confused with their subtypes?
    punctuation_words: int  # gold words that the convention leaves out
    official: dict[str, Score | None]
    clas: dict[str, Score]
    with_punctuation: Section
    without_punctuation: Section


def evaluate(gold: Corpus, system: Corpus, punctuation: str = "ud", subtypes: bool = True) -> Evaluation:
    """Raises CorpusError where the two cannot be compared or there is no such convention."""
    comparison = compare(gold, system)
    scored = without_punctuation(comparison, punctuation)
    return Evaluation(
        comparison,
        punctuation,
        subtypes,
        gold.n_words - int(scored.gold.sum()),
        official(comparison),
        clas(comparison),
        section(comparison, all_words(comparison), subtypes),
        section(comparison, scored, subtypes),
    )


def section(comparison: Comparison, words: Words, subtypes: bool) -> Section:
    labels = comparison.full if subtypes else comparison.universal
    return Section(
        attachment(comparison, words),
        by_label(comparison, words, labels),
        by_arc_length(comparison, words),
        by_sentence_length(comparison, words),
        confusions(comparison, words, labels),
    )


def significance(
    first: Evaluation, second: Evaluation, *, resamples: int = RESAMPLES, seed: int = 0, confidence: float = 0.95
) -> dict[str, dict[str, PairedBootstrap]]:
    """The difference second - first, for each metric of TESTED, with punctuation and without.

    Both evaluations are of one gold corpus; `without` follows the convention of the first one.
    """
    scored = {
        "with punctuation": [all_words(e.comparison) for e in (first, second)],
        "without punctuation": [without_punctuation(e.comparison, first.punctuation) for e in (first, second)],
    }

    def tested(metric: str, words: list[Words]) -> PairedBootstrap:
        a, b = (
            sentence_counts(e.comparison, right_words(e.comparison, metric), w)
            for e, w in zip((first, second), words, strict=True)
        )
        return paired_bootstrap(a, b, resamples=resamples, seed=seed, confidence=confidence)

    return {name: {metric: tested(metric, words) for metric in TESTED} for name, words in scored.items()}


def score_dict(score: Score | None) -> dict | None:
    if score is None:
        return None
    aligned = {} if score.aligned is None else {"aligned": score.aligned, "aligned_accuracy": score.aligned_accuracy}
    percentages = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    return {"correct": score.correct, "gold": score.gold, "system": score.system, **aligned, **percentages}


def as_dict(evaluation: Evaluation) -> dict:
    """All figures for JSON: counts are exact, percentages are not rounded."""
    comparison = evaluation.comparison
    return {
        "gold": comparison.gold.source,
        "system": comparison.system.source,
        "official": {name: score_dict(score) for name, score in evaluation.official.items()},
        "clas": {name: score_dict(score) for name, score in evaluation.clas.items()},
        "punctuation": {"convention": evaluation.punctuation, "words": evaluation.punctuation_words},
        "subtypes": evaluation.subtypes,
        "with_punctuation": section_dict(evaluation.with_punctuation),
        "without_punctuation": section_dict(evaluation.without_punctuation),
    }


def section_dict(section: Section) -> dict:
    found = section.attachment
    return {
        "scores": {metric: score_dict(score) for metric, score in found.scores.items()},
        "complete": {"unlabeled": score_dict(found.unlabeled_complete), "labeled": score_dict(found.labeled_complete)},
        "roots": score_dict(found.roots),
        "labels": [
            {"label": r.label, "alone": score_dict(r.label_alone), "attached": score_dict(r.with_attachment)}
            for r in section.labels
        ],
        "arc_lengths": [length_dict(row) for row in section.arc_lengths],
        "sentence_lengths": [length_dict(row) for row in section.sentence_lengths],
        "confusions": [asdict(row) for row in section.confusions],
    }


def length_dict(row: LengthScore) -> dict:
    return {"length": row.name, "unlabeled": score_dict(row.unlabeled), "labeled": score_dict(row.labeled)}


def significance_dict(tests: dict[str, dict[str, PairedBootstrap]]) -> dict:
    return {
        words.replace(" ", "_"): {metric: asdict(test) for metric, test in by_metric.items()}
        for words, by_metric in tests.items()
    }


def shown(percentage: float | None) -> str:
    return "" if percentage is None else f"{percentage:.2f}"


def official_rows(evaluation: Evaluation) -> list[Row]:
    """The official scorer's table, with the counts."""
    rows: list[Row] = [("metric", "precision", "recall", "F1", "aligned acc.", "correct", "gold", "system")]
    for name, score in evaluation.official.items():
        if score is None:
            rows.append((name, *[""] * 7))
        else:
            percentages = (score.precision, score.recall, score.f1, score.aligned_accuracy)
            rows.append((name, *map(shown, percentages), str(score.correct), str(score.gold), str(score.system)))
    return rows


def summary_rows(evaluation: Evaluation) -> list[Row]:
    """F1 and counts of the main scores, with punctuation and without. Root accuracy is a recall, as is usual."""
    head = ("correct", "gold", "system")
    rows: list[Row] = [("metric", "with punctuation", *head, f"without ({evaluation.punctuation})", *head)]
    both = [named_scores(s.attachment) for s in (evaluation.with_punctuation, evaluation.without_punctuation)]
    for name in both[0]:
        rows.append((name, *(cell for scores in both for cell in main_cells(name, scores[name]))))
    for name, score in evaluation.clas.items():  # content words only: no punctuation in either
        rows.append((name, *["" for _ in main_cells(name, score)], *main_cells(name, score)))
    return rows


def named_scores(found: Attachment) -> dict[str, Score]:
    return {
        **found.scores,
        "UCM": found.unlabeled_complete,
        "LCM": found.labeled_complete,
        "root accuracy": found.roots,
    }


def main_cells(name: str, score: Score) -> Row:
    percentage = score.recall if name == "root accuracy" else score.f1
    return shown(percentage), str(score.correct), str(score.gold), str(score.system)


def label_rows(section: Section) -> list[Row]:
    rows: list[Row] = [("label", "gold", "system", "correct", "P", "R", "F1", "and head", "P", "R", "F1")]
    for row in section.labels:
        a, b = row.label_alone, row.with_attachment
        cells = (str(a.correct), *map(shown, (a.precision, a.recall, a.f1)))
        attached = (str(b.correct), *map(shown, (b.precision, b.recall, b.f1)))
        rows.append((row.label, str(a.gold), str(a.system), *cells, *attached))
    return rows


def length_rows(scores: list[LengthScore], heading: str) -> list[Row]:
    """For a section's arc_lengths or sentence_lengths."""
    rows: list[Row] = [(heading, "gold", "system", "heads right", "P", "R", "F1", "and labels", "P", "R", "F1")]
    for row in scores:
        a, b = row.unlabeled, row.labeled
        cells = (str(a.correct), *map(shown, (a.precision, a.recall, a.f1)))
        labeled = (str(b.correct), *map(shown, (b.precision, b.recall, b.f1)))
        rows.append((row.name, str(a.gold), str(a.system), *cells, *labeled))
    return rows


def confusion_rows(section: Section, most: int = 20) -> list[Row]:
    rows: list[Row] = [("gold label", "system label", "words", "with right head")]
    rows += [(r.gold, r.system, str(r.count), str(r.head_right)) for r in section.confusions[:most]]
    return rows


def significance_rows(tests: dict[str, dict[str, PairedBootstrap]]) -> list[Row]:
    rows: list[Row] = [("metric", "words", "first", "second", "difference", "interval", "p")]
    for words, by_metric in tests.items():
        for metric, test in by_metric.items():
            values = (shown(test.first.value), shown(test.second.value), f"{test.difference.value:+.2f}")
            interval = f"{test.difference.low:+.2f} .. {test.difference.high:+.2f}"
            rows.append((metric, words, *values, interval, f"{test.p_value:.4f}"))
    return rows
