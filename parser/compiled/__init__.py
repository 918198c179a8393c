"""A finished model made fast: integer weights, and an engine that adds up what belongs together only once."""
