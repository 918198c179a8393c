"""The model file: one file of named sections, checked and mapped into memory."""

from parser.model.file import ModelFile, check_output, write_model
from parser.model.layout import ModelFileError
from parser.model.weights import validate_weights

__all__ = ["ModelFile", "ModelFileError", "check_output", "validate_weights", "write_model"]
