// What a person saw that no sensor sees, entered by an arbiter: it accuses nobody by itself.
/** @import { StateDocument } from "../types.js" */
import { askReason, order, say } from "../page.js";
import { pick, sides } from "./fields.js";

/** Everything of conduct that may be noted, what only people see first. */
const SEEN = {
  device_seen: () => say("A device was seen at the table."),
  touch_move: () => say("A checker that was touched must be moved before another."),
  release_is_final: () => say("A checker that was set down stays where it is."),
  dice_lifted_early: () => say("The dice were lifted before they were read."),
  premature_roll: () => say("The dice were rolled before the opponent's turn was over."),
  pressed_early: () => say("The clock was pressed before the play was complete."),
  pressed_dice_unread: () => say("The clock was pressed before a roll was read."),
  missed_press: () => say("The play is done, but the clock was not pressed."),
  slow_play: () => say("The turn takes too long."),
  late_start: () => say("The player is late."),
  flag_fell: () => say("The time is up."),
  cube_out_of_turn: () => say("The cube may not be offered now."),
  wrong_setup: () => say("The checkers are not set up as the game starts."),
  cocked_die: () => say("A die is cocked."),
  die_off_board: () => say("A die left the board."),
  die_wrong_half: () => say("A die lies in the wrong half of the board."),
  die_on_checker: () => say("A die lies on a checker."),
  die_missing: () => say("A die is missing."),
  out_of_turn: () => say("It was the other side's turn."),
};

/**
 * Ask what was seen, and whose it was.
 * @param {StateDocument} state
 */
export function note(state) {
  askReason(
    say("Note what was seen"),
    say("Note"),
    (text, data) => {
      const side = data.get("side");
      return order("note", { code: data.get("code"), ...(side ? { side } : {}), text });
    },
    {
      needed: false,
      before: [
        pick(
          "code",
          say("What was seen"),
          Object.entries(SEEN).map(([code, words]) => [code, words()]),
        ),
        pick("side", say("Player"), [["", say("Nobody")], ...sides(state)]),
      ],
    },
  );
}
