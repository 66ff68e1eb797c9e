"""The errors a user can meet and mend.

A message says what was given, what was expected and what to do. The command line prints the message and exits
with code 2; a traceback is shown only with ``--debug``.
"""


class SaccadeError(Exception):
    """Anything that the user can put right."""


class RecipeError(SaccadeError):
    """The recipe asks for something that does not exist or does not fit together."""


class DataError(SaccadeError):
    """A file, a line or a whole corpus cannot be used."""


class RunError(SaccadeError):
    """A run folder is missing, damaged, of another version or in use."""


class ModelError(SaccadeError):
    """A model cannot be built or asked for what it has not."""


class DecodingError(SaccadeError):
    """A text cannot be decoded: too long for the model, or models that do not fit together."""


class ServiceError(SaccadeError):
    """The service refuses or cannot finish a request."""
