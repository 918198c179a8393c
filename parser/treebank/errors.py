"""The one error for data that is not as it should be: `file:line: what is wrong, what was expected`."""

from parser.errors import UserError


class TreebankError(UserError):
    """A treebank file that cannot be read as it stands. `str(error)` is the one line to show."""

    def __init__(self, what: str, file: str | None = None, line: int | None = None) -> None:
        self.what, self.file, self.line = what, file, line
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        super().__init__(place + what)

    def __reduce__(self) -> tuple:
        return TreebankError, (self.what, self.file, self.line)
