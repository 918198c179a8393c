"""Learners whose training weights stand in the table: scoring adds them up."""

from parser.learn.learner cimport Learner


cdef class Stored(Learner):
    pass
