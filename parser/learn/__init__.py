"""Learners: fired features, legal actions and costs -> changes of weights. They know nothing of stacks."""

from parser.learn.adagrad_rda import AdaGradRDA
from parser.learn.passive_aggressive import PassiveAggressive
from parser.learn.perceptron import Perceptron
from parser.learn.regression import Regression

LEARNERS = {
    "perceptron": Perceptron,
    "passive-aggressive": PassiveAggressive,
    "adagrad-rda": AdaGradRDA,
    "regression": Regression,
}

__all__ = ["LEARNERS", "AdaGradRDA", "PassiveAggressive", "Perceptron", "Regression"]
