"""Features -> scores: weight tables, finished weights, choice among actions."""
