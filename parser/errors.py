"""The base of all errors whose text is one clear line for the user: data, options, models, templates."""


class UserError(ValueError):
    """`str(error)` is the line to show. exit_code: 1 where data or a file are at fault, 2 where the call is."""

    exit_code = 1


class MissingPackageError(UserError, ImportError):
    """A package that is installed on request only is not there."""

    exit_code = 2
