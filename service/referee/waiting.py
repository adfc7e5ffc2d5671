"""How long what is seen must stay so before the referee takes it for meant, s; costs that a person
chose, each in one place.
"""

from typing import Final

STAYS_S: Final = 3.0
"""What was left so for so long was left on purpose: a board otherwise than the record, or from
which play may go on, the start set up anew, a last checker borne off, a play that looks half made;
and dice that nobody could read in that time will not be read by looking longer."""
OVER_S: Final = 8.0
"""The same where neither dice nor a press bear it out: a checker is lifted in thought as well."""
HEARD_S: Final = 2.0
"""A question or a notice can be heard, and objected to, for so long before dice that lie there
count as play going on."""
TOUCHED_S: Final = 1.5
"""A checker that is touched is noticed at most so long after it."""
BEFORE_S: Final = 0.01
"""A turn was over so long before the dice lay there that were thrown over it, s."""
