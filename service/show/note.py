"""A note on the overlay, as the state document has it."""

from typing import Annotated, TypedDict

from service.referee.clock_document import Limits


class NoteDocument(TypedDict):
    """What a commentator sends to the overlay."""

    number: Annotated[int, Limits(1)]
    """Grows: another number is another note."""
    text: str
    """The lower third; empty takes it away."""
    until: float
    """Table time until which it stays."""
    replay: bool
    """The last play is to be shown once more."""
