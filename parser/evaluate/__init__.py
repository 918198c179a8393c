"""Scores of parsed treebanks against gold ones: corpus -> align -> attachment -> breakdown, significance -> report."""
