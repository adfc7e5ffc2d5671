"""What the desk answered to a turn, held against what was truly played, and counted."""

from __future__ import annotations

from dataclasses import dataclass

from rules.board import Placement
from rules.dice import Roll
from rules.play import Play
from rules.position import Position
from service.journal.entry import DiceOrigin
from service.simulate.desk import DeskAnswer
from service.simulate.player import Misplay
from service.simulate.tally import Tally


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """One turn as it truly was.

    `play` is what the player meant, `misplay` the illegal play made in its place, if one was.
    `hit_in_hand`: the hit checker is put on the bar only after the press.
    """

    position: Position
    roll: Roll
    play: Play
    misplay: Misplay | None
    hit_in_hand: bool = False

    @property
    def after(self) -> Placement:
        """What stands on the board at the end, hit checkers on the bar."""
        return self.misplay.placement if self.misplay is not None else self.play.placement

    def is_taken_for_another(self, answer: DeskAnswer | None) -> bool:
        """Whether an illegal play was agreed as the play of another roll that looks the same."""
        return (
            self.misplay is not None
            and self.misplay.explained
            and answer is not None
            and answer.kind == "agreed"
            and answer.placement == self.misplay.placement
        )


@dataclass(frozen=True, slots=True)
class TurnScore:
    """Counts one turn's answer in a tally; `name` says which turn where something went wrong."""

    tally: Tally
    name: str
    turn: TurnPlayed

    def count(self, answer: DeskAnswer | None, pressed: float) -> None:
        """Count the first answer after the press at `pressed` (s); None: none in time."""
        if self.turn.misplay is None:
            self._count_legal(answer, pressed)
        else:
            self._count_illegal(self.turn.misplay, answer, pressed)

    def _count_legal(self, answer: DeskAnswer | None, pressed: float) -> None:
        """Count what was answered to a legal play."""
        tally = self.tally
        if answer is None:
            tally.add("late")
            tally.add("resolved_by_human")
            self.note_failure("no verdict", answer)
            return
        tally.seconds.append(answer.at - pressed)
        match answer.kind:
            case "agreed" if answer.placement == self.turn.play.placement:
                tally.add("agreed_right")
                self._count_dice(answer)
            case "agreed":
                tally.add("agreed_wrong")
                self.note_failure("AGREED WRONG", answer)
            case "illegal":
                tally.add("false_accusations")
                tally.add("resolved_by_human")
                self.note_failure("FALSE ACCUSATION", answer)
            case _:
                tally.add(answer.kind)
                tally.add("resolved_by_human")
                self.note_failure(answer.kind, answer)

    def _count_dice(self, answer: DeskAnswer) -> None:
        """Count with which roll a play was rightly agreed."""
        right = answer.roll == self.turn.roll
        if answer.origin is DiceOrigin.UNKNOWN:
            self.tally.add("dice_open")
            return
        if answer.origin is DiceOrigin.INFERRED:
            self.tally.add("inferred_right" if right else "inferred_wrong")
        if not right:
            self.note_failure("wrong roll", answer)

    def _count_illegal(self, misplay: Misplay, answer: DeskAnswer | None, pressed: float) -> None:
        """Count what was answered to an illegal play."""
        tally = self.tally
        tally.add("illegal_made")
        tally.add("illegal_explained", misplay.explained)
        kind = misplay.kind + (" (explained)" if misplay.explained else "")
        what = answer.kind if answer is not None else "missed"
        tally.misplay(kind, what)
        if answer is not None and what == "illegal":
            tally.add("explained_flagged" if misplay.explained else "illegal_flagged")
            tally.seconds.append(answer.at - pressed)
            return
        tally.add("resolved_by_human")
        group = "explained" if misplay.explained else "illegal"
        if what in ("asked", "differs"):
            tally.add(f"{group}_asked")
        elif self.turn.is_taken_for_another(answer):
            tally.add("explained_taken")
        else:
            tally.add(f"{group}_missed")
            if what == "agreed":
                tally.add("agreed_wrong")
            self.note_failure(f"ILLEGAL {kind} {what}", answer)

    def count_correction(self, answer: DeskAnswer | None) -> None:
        """Count what was agreed after an illegal play was put right; None when nothing was."""
        if answer is None:
            self.tally.add("corrections_unseen")
            return
        self.tally.add("corrections_seen")
        if answer.placement != self.turn.play.placement:
            self.tally.add("agreed_wrong")
            self.note_failure("AGREED WRONG after a correction", answer)

    def note_failure(self, what: str, answer: DeskAnswer | None) -> None:
        """Keep a line that tells what went wrong, with what was truly played."""
        detail = (
            f" said {answer.roll} {answer.text} {answer.origin.value if answer.origin else ''}"
            if answer is not None
            else ""
        )
        self.tally.failures.append(
            f"{self.name}: {what}: {self.turn.roll} {self.turn.play}{detail}"
        )
