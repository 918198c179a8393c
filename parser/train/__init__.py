"""Training: epochs over a treebank, what is kept of them, and the log."""
