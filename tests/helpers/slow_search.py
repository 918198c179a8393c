"""Training and parsing once more, in plain Python over the handles: the twins of parser.search."""

import math
from collections import Counter

import numpy as np

from parser.learn.passive_aggressive import PassiveAggressive
from parser.score.choose import probabilities


def argmax(scores, actions):
    """The best of these actions, the lowest on ties."""
    return max(sorted(actions), key=lambda action: (scores[action], -action))


def draw(chances, rng):
    """As parser.score.choose.sample does it."""
    point = rng.unit() * sum(float(p) for p in chances)
    for action, p in enumerate(chances):
        if p > 0:
            last = action
            point -= float(p)
            if point < 0:
                return action
    return last


def take(state, action):
    system = state.system
    move = system.action_moves[action]
    label = (action - system.core.first_left) % len(system.labels) if move >= 2 else -1
    state.cursor.apply(move, label)


def zero_actions(state, gold, oracle):
    if oracle == "static":
        return [state.system.action_names.index(gold.static(state))]
    return [state.system.action_names.index(name) for name, cost in gold.costs(state).items() if cost == 0]


def train_sentence(system, extractor, learner, options, example, rows, iteration, rng):
    """Goldberg & Nivre 2012, 2013 and Goldberg 2013, line by line. Gives the actions taken."""
    n, heads, labels = example
    gold = system.gold(heads, [system.labels[label] for label in labels])
    state = system.initial(n)
    policy = options.exploration
    path = []
    while not state.is_final():
        legal = state.cursor.actions()
        if len(legal) == 1:
            learner.count_state()
            path.append(legal[0])
            take(state, legal[0])
            continue
        zero = zero_actions(state, gold, options.oracle)
        keys = extractor.keys(state.cursor.raw(), rows)
        scores = learner.scores(keys)
        predicted, oracle = argmax(scores, legal), argmax(scores, zero)
        if policy.kind == "sample":
            action = oracle if iteration <= policy.k else draw(probabilities(scores, legal), rng)
        elif predicted in zero or (iteration > policy.k and policy.p > 0 and (policy.p >= 1 or rng.unit() < policy.p)):
            action = predicted
        elif policy.fallback == "random":
            action = sorted(zero)[int(rng.unit() * len(zero))]
        else:
            action = oracle
        assert learner.visit(keys, legal, zero) == (predicted, oracle)
        path.append(action)
        take(state, action)
    return path


def parse(system, extractor, model, n, rows):
    """(heads, labels, probability of arc, of arc and label) as lists."""
    state = system.initial(n)
    arcs, labelled = [1.0] * n, [1.0] * n
    while not state.is_final():
        legal = state.cursor.actions()
        scores = model.scores(extractor.keys(state.cursor.raw(), rows))
        action = argmax(scores, legal)
        move = system.action_moves[action]
        if move >= 2 and len(legal) > 1:
            chances = probabilities(scores, legal)
            dep = state.cursor.arc(move)[1]
            arcs[dep - 1] = sum(float(chances[a]) for a in legal if system.action_moves[a] == move)
            labelled[dep - 1] = float(chances[action])
        take(state, action)
    heads, labels = state.cursor.tree()
    return heads, labels, arcs, labelled


# Easy-first: a candidate is (left word, action); actions are labels of LEFT, then labels of RIGHT


def arc_of(state, left, action):
    items = state.items
    right = items[items.index(left) + 1]
    return (right, left) if action < len(state.system.labels) else (left, right)


def candidates(state):
    n_labels = len(state.system.labels)
    return [
        (left, action)
        for left in state.items[:-1]
        for action in range(2 * n_labels)
        if state.cursor.is_legal(*arc_of(state, left, action))
    ]


def correct_candidates(state, gold, incomplete):
    found = []
    for left, action in candidates(state):
        head, dep = arc_of(state, left, action)
        label = action % len(state.system.labels)
        is_gold = gold.heads[dep - 1] == head
        label_fits = not is_gold or state.system.labels[label] == gold.labels[dep - 1]
        right = (
            gold.cursor.pair_correct(state.cursor, head, dep)
            if incomplete
            else gold.cursor.pair_cost(state.cursor, head, dep) == 0
        )
        if right and label_fits:
            found.append((left, action))
    return found


def best_candidate(scores, among):
    place = {left: i for i, left in enumerate(dict.fromkeys(left for left, _ in among))}
    return max(among, key=lambda c: (scores[c[0]][c[1]], -place[c[0]], -c[1]))


def scored(state, extractor, scorer, rows):
    """Features and scores of every pair, nothing remembered."""
    keys = {left: extractor.keys(state.cursor.raw(), rows, left) for left in state.items[:-1]}
    return keys, {left: scorer.scores(found) for left, found in keys.items()}


def take_candidate(state, candidate):
    state.cursor.apply(*arc_of(state, *candidate), candidate[1] % len(state.system.labels))


def learn_easy(learner, keys, scores, right, wrong):
    """One change if the right one is not above the wrong one by the margin (the perceptron's), or as much of one as is
    needed (passive-aggressive: Crammer et al. 2006, PA-I)."""
    gap = np.float32(scores[right[0]][right[1]]) - np.float32(scores[wrong[0]][wrong[1]])
    pace = np.float32(gap < learner.margin or gap <= 0)
    if isinstance(learner, PassiveAggressive):
        fired = Counter((int(key), right[1]) for key in keys[right[0]] if key)
        fired.subtract((int(key), wrong[1]) for key in keys[wrong[0]] if key)
        distance = sum(count**2 for count in fired.values())
        loss = max(np.float32(learner.margin) - gap, np.float32(0))
        pace = min(np.float32(learner.cap), loss / np.float32(distance))
    if pace != 0:
        learner.add_one(keys[right[0]], right[1], pace)
        learner.add_one(keys[wrong[0]], wrong[1], -pace)


def train_easy(system, extractor, learner, options, example, rows, iteration, rng):
    """Goldberg & Nivre 2013, algorithm 3 with NEXT of easy-first; Goldberg & Elhadad 2010 with the static oracle."""
    n, heads, labels = example
    gold = system.gold(heads, [system.labels[label] for label in labels])
    state = system.initial(n)
    policy, attempts = options.exploration, 0
    while not state.is_final():
        keys, scores = scored(state, extractor, learner, rows)
        predicted = best_candidate(scores, candidates(state))
        correct = correct_candidates(state, gold, options.oracle == "static")
        oracle = best_candidate(scores, correct)
        if options.update == "logistic":
            chances = joint(scores, candidates(state))
            aims = joint(scores, correct)
            choice = oracle
            if policy.kind == "sample" and iteration > policy.k:
                point = rng.unit()
                for candidate in candidates(state):
                    point -= chances[candidate]
                    if point < 0:
                        choice = candidate
                        break
            elif policy.kind == "errors" and predicted in correct:
                choice = predicted
            for left, found in keys.items():
                change = np.zeros(learner.n_actions, np.float32)
                for candidate in candidates(state):
                    if candidate[0] == left:
                        change[candidate[1]] = np.float32(aims.get(candidate, 0)) - np.float32(chances[candidate])
                learner.add_row(found, change)
            learner.count_state()
            take_candidate(state, choice)
            continue
        if predicted in correct:
            wrong = [candidate for candidate in candidates(state) if candidate not in correct]
            if learner.margin > 0 and wrong:
                learn_easy(learner, keys, scores, predicted, best_candidate(scores, wrong))
            take_candidate(state, predicted)
            learner.count_state()
            attempts = 0
            continue
        learn_easy(learner, keys, scores, oracle, predicted)
        learner.count_state()
        attempts += 1
        if iteration > policy.k and policy.p > 0 and (policy.p >= 1 or rng.unit() < policy.p):
            take_candidate(state, predicted)
            attempts = 0
        elif attempts >= 100:
            take_candidate(state, oracle)
            attempts = 0


def joint(scores, among):
    """Softmax over candidates of all pairs."""
    top = max(float(scores[left][action]) for left, action in among)
    weights = {(left, action): math.exp(float(scores[left][action]) - top) for left, action in among}
    total = sum(weights.values())
    return {candidate: weight / total for candidate, weight in weights.items()}


def parse_easy(system, extractor, model, n, rows):
    state = system.initial(n)
    arcs, labelled = [1.0] * n, [1.0] * n
    n_labels = len(system.labels)
    while not state.is_final():
        _, scores = scored(state, extractor, model, rows)
        best = best_candidate(scores, candidates(state))
        chances = joint(scores, candidates(state))
        dep = arc_of(state, *best)[1]
        arcs[dep - 1] = sum(
            p for (left, action), p in chances.items() if left == best[0] and action // n_labels == best[1] // n_labels
        )
        labelled[dep - 1] = chances[best]
        take_candidate(state, best)
    heads, labels = state.cursor.tree()
    return heads, labels, arcs, labelled
