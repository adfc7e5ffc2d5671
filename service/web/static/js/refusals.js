// Why a request was refused, in words: a code is for programs alone.
/** @import { Refusal } from "./types.js" */
import { context, say } from "./page.js";

const sent = () => say("What was sent cannot be read. Load the page again.");
const gone = () => say("It is not kept, or was never there.");
const none = () => say("Nothing of the kind stands open now.");

/** Every code in words. @type {Record<string, () => string>} */
export const REASONS = {
  bad_argument: sent,
  bad_by: sent,
  bad_side: sent,
  broken_off: sent,
  https: () => say("This works on the secured page alone. Scan the table's code again."),
  no_device: gone,
  no_edits: () => say("What was said of this match cannot be kept. Tell who keeps this machine."),
  no_row: gone,
  no_transcript: gone,
  does_not_follow: () =>
    say("This play cannot have been made there. Check its dice, and the play before it."),
  outdated: () => say("Somebody else changed this match just now. Load the page again."),
  no_formula: sent,
  no_player: gone,
  no_players: () => say("The book of players cannot be read. Tell who keeps this machine."),
  not_text: sent,
  no_knock: () => say("This phone asks no more. Let it ask again."),
  no_authority: () => say("This table uses a certificate that it did not make."),
  bad_clock: () => say("This clock cannot be used."),
  bad_corners: () => say("These four points are no board. Drag them onto its corners."),
  bad_match: () => say("This match cannot be set up so."),
  bad_name: () => say("This name cannot be used."),
  bad_number: () => say("This number is too small or too large."),
  bad_placement: () => say("This position cannot stand on the board."),
  bad_position: () => say("This position cannot stand on the board."),
  bad_roll: () => say("A roll is two numbers from 1 to 6."),
  bad_score: () => say("This score cannot be."),
  bad_theme: () => say("This look of the overlay cannot be read. Mend its file."),
  bad_text: () => say("This text is too long, or not one of those that may stand here."),
  busy: () => say("The table is busy. Look at it before you try again."),
  cannot_stand: () => say("On such a board nobody can play on. Say where every checker stood."),
  crowded: () => say("Too many watch this picture. Try again later."),
  disk_full: () => say("The disk is full. Nothing was lost so far: free some room."),
  event_file: () => say("This event file cannot be used."),
  face_down: () =>
    say("In this event phones stay face down: play on the board, or on the table's tablet."),
  http: sent,
  host: () => say("This address is not one of the table's."),
  illegal: () => say("This play is not legal. An arbiter can let it stand."),
  last_director: () => say("The last director must stay: add another first."),
  legal: () => say("This play is legal: enter it as a play."),
  match_begun: () =>
    say("This match has begun: it can be changed until its first play. End it first."),
  method: sent,
  no_act: sent,
  no_account: () => say("Nobody has this name."),
  no_alert: none,
  no_analysis: () => say("This event shows its audience no analysis."),
  no_board: () => say("The board was not found in the picture. Drag its corners by hand."),
  board_away: () => say("No board answers. Choose one above, and look at its cable."),
  another_hall: () => say("Another hall runs this table: give the order there."),
  no_camera: () => say("No camera sees this table."),
  no_clock: () => say("This match has no clock of the table's own."),
  no_code: () => say("This code is not known, was used or is older than ten minutes."),
  no_entry: gone,
  no_firmware: () => say("This board has no microcontroller to be written."),
  no_kept_firmware: () =>
    say("No firmware of before is kept: write the one that came with takhte."),
  updating: () => say("The board's firmware is being written: wait until it is done."),
  no_film: () => say("This table plays no recording."),
  no_format: () => say("This match cannot be written in that form."),
  no_journal: () => say("This table has no record yet."),
  no_lamps: () => say("This board has no lamps: look at the page."),
  no_match: () => say("No match has been set up yet."),
  no_order: sent,
  no_paper: () => say("There is no such paper yet: it comes with the first round."),
  no_picture: gone,
  no_play: gone,
  no_position: gone,
  no_probe: sent,
  no_query: sent,
  no_question: none,
  no_round: () => say("This round has no pairings yet."),
  no_ruling: () => say("No ruling can be appealed now."),
  no_state: () => say("This table has no record yet."),
  no_step: gone,
  no_theme: gone,
  no_table: () => say("There is no such table."),
  no_webhook: gone,
  not_allowed: () => say("This device may not do that."),
  not_confirmed: () => say("Both players must say first that they are there and agree."),
  not_found: gone,
  not_from_afar: () => say("This can be asked at the table alone."),
  not_kept: () => say("It could not be written down, so it was not done. Try again."),
  not_now: () => say("Not now: the match is at another point."),
  not_secured: () =>
    say("Passwords are typed on the secured page alone, where nobody on this network reads along."),
  not_ready: () => say("The hall's program is still starting. Try again in a moment."),
  not_valid: sent,
  not_yours: () => say("This is for the other side, or for an arbiter."),
  origin: () => say("The request came from another page. Open the table's own."),
  refused: () => say("This could not be done."),
  replayed: () => say("This was sent before and is done only once."),
  rounds: () => say("This list of pairings cannot be used."),
  sign_in: () => say("Sign in or pair this device first."),
  table_down: () => say("The table's program does not answer. Nothing was done."),
  tournament: () => say("The tournament cannot do this now."),
  too_fast: () => say("Too many tries at once. Wait a few seconds."),
  too_large: () => say("This is too much to be sent at once."),
  too_late: () => say("This came too late and was not done."),
  unreadable: sent,
  wrong_password: () => say("The name or the password is not right."),
  wrong_table: () => say("This was meant for another table."),
};
/** Refusals of a file or a device, which name the place in it: as the machine says it. */
const WITH_PLACE = ["event_file", "rounds", "bad_match", "refused", "tournament", "bad_theme"];

/**
 * Why a request was refused, in words; whoever reads the machine's language is also told what to do
 * next.
 * @param {Refusal} refusal
 */
export function refusalWords({ code = "", expected, came, next }) {
  const words = (REASONS[code] ?? REASONS.refused)();
  const place = WITH_PLACE.includes(code) ? [expected, came].filter(Boolean).join(": ") : "";
  const after = context.language === "en" ? next : "";
  return [words, place && `\u2068${place}\u2069`, after].filter(Boolean).join(" · ");
}
