/**
 * The state document `takhte-state/1`, made from service/show/document.py by
 * `python scripts/state_types.py`. For the checker alone: no browser loads this file.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The faces of White's opening dice and of Black's. */
export interface OpeningDocument {
  white: number[];
  black: number[];
}

/** What the words of a prompt need to know. */
export interface PromptArgs {
  thrown?: number[];
  roll?: [number, number];
  /** The roll that was read, where the checkers say another (`roll`). */
  read?: [number, number];
  level?: number;
  value?: number;
  code?: string;
  /** Dice that each side throws in the opening. */
  each?: number;
  /** The first 6-5 of the opening starts. */
  shish_besh?: boolean;
  /** What opening dice that were not read may show, likeliest first. */
  likely?: OpeningDocument[];
}

/** What the table waits for; `service.show.prompt.CODES` lists the codes. */
export interface PromptDocument {
  code: string;
  /** Whose move it is; null for both, or nobody in particular. */
  side: "white" | "black" | null;
  args: PromptArgs;
}

export interface PlayerDocument {
  name: string;
  score: number;
  colour: "light" | "dark";
  /** Illegal plays so far; not told to those who may not know. */
  illegal?: number;
}

export interface PlayersDocument {
  white: PlayerDocument;
  black: PlayerDocument;
}

/** How many times the cube one may resign, and what such a game is called. */
export interface ResignationDocument {
  level: number;
  result: string;
}

/** The match; game 0 is no game yet. */
export interface MatchDocument {
  /** Points; null is a money session. */
  length: number | null;
  ruleset: string | null;
  /** Words by language. */
  title: Record<string, string>;
  options: { beavers?: boolean; [key: string]: Json | undefined };
  game: number;
  crawford: boolean;
  players: PlayersDocument;
  event: { name?: string; beavers?: boolean; [key: string]: Json | undefined };
  result: string | null;
  /** Whether beavers were agreed. */
  beavers: boolean;
  /** Whether it is played without a cube, in nard's words: mars, super-mars, neshast. */
  nard: boolean;
  /** What one may resign in this game, lowest first. */
  resignations: ResignationDocument[];
}

/** Checkers by site in White's numbering: borne off, points 1 to 24, bar. */
export interface PlacementDocument {
  white: number[];
  black: number[];
}

/** Which checkers are White's, and the corner of White's own 1-point. */
export interface SeatingDocument {
  white: "light" | "dark";
  home: "south-east" | "south-west" | "north-west" | "north-east";
}

/** What stands on the board by the record, and how it lies before the camera. */
export interface BoardDocument extends PlacementDocument {
  seating: SeatingDocument;
  facing: "mirror" | "rotate";
  /** How many each side has. */
  checkers: number;
}

/** A die as it lies, for drawing; which roll it is part of was decided elsewhere. */
export interface DieDocument {
  /** East and north across the board, 0 to 1 each. */
  where: [number, number];
  value: number;
  status: "flat" | "cocked" | "on_checker" | "on_bar" | "off_board" | "rolling";
  /** It lay there before this turn began: the last roller's. */
  old: boolean;
}

export interface DiceDocument {
  roll: [number, number] | null;
  origin: "read" | "inferred" | "entered" | "unknown" | null;
  problem: string | null;
  /** What was thrown for the start and did not decide it. */
  opening: number[];
  /** No die can be played. */
  no_play: boolean;
  seen: DieDocument[];
}

export interface CubeDocument {
  in_use: boolean;
  value: number;
  owner: "white" | "black" | "centre";
  offered_by: "white" | "black" | null;
  offered_value: number | null;
}

/** One side's time. */
export interface BankDocument {
  /** Seconds left of the bank at `as_of`. */
  bank: number;
  /** Seconds left of this turn's delay at `as_of`. */
  delay: number;
  flags: number;
}

/** The clock; a page counts on from `as_of` by itself. */
export interface ClockDocument {
  kind: "ours" | "external" | "none";
  mode: "simple" | "bronstein" | "fischer" | null;
  white: BankDocument | null;
  black: BankDocument | null;
  running: "white" | "black" | null;
  /** Table time. */
  as_of: number;
  /** Whose time goes on when the clock does; there with a clock of ours. */
  paused?: "white" | "black" | null;
  /** Seconds of each move; there with a clock of ours. */
  delay?: number;
}

/** One line of the play list. */
export interface PlayDocument {
  game: number;
  number: number;
  side: "white" | "black";
  roll: [number, number] | null;
  origin: "read" | "inferred" | "entered" | "unknown" | null;
  /** Standard notation, the mover's own points. */
  text: string;
  /** Its entry in the journal. */
  seq: number;
  /** Staff only. */
  probability?: number | null;
  infraction: string | null;
  standing: "next-roll" | "accepted" | "ruled" | "unresolved" | null;
  by_hand: boolean;
  /** The entry that corrected it. */
  amended: number | null;
  /** Staff only. */
  pictures?: string[];
}

export interface ScoreDocument {
  white: number;
  black: number;
}

/** A game that ended. */
export interface GameDocument {
  game: number;
  winner: "white" | "black";
  points: number;
  reason: string;
  result: string;
  score: ScoreDocument;
  seq: number;
  /** Of that entry's hash, to be noted: it stands for the record up to it (`verify --head`). */
  head?: string;
}

/** Something that a person should look at, until somebody acknowledges it by name. */
export interface AlertDocument {
  id: string;
  kind: string;
  side: "white" | "black" | null;
  code: string;
  /** What the words of `code` need to know. */
  facts: Record<string, Json>;
  /** Words by language, said when the document was made. */
  why: Record<string, string>;
  told: string;
  seq: number;
  acknowledged_by: string | null;
  /** It was raised before this match was set: another match's matter. */
  earlier?: boolean;
  /** What it called for was done, as an appeal that was decided: it calls nobody any more. */
  settled?: boolean;
}

/** A ruling whose appeal window is open. */
export interface RulingDocument {
  seq: number;
  text: string;
  until: number | null;
  appealed: boolean;
}

/** Camera or board: ok, lost, waiting or absent, and why. */
export interface SourceDocument {
  state: string;
  reason: string;
}

/** A recording that is played in the world's place. */
export interface FilmDocument {
  state: "playing" | "paused" | "over";
  /** Seconds of it that were played when this was said. */
  position: number;
  length: number;
  /** Seconds of table time in a second of the world's, while it plays. */
  speed: number;
  /** Whether it may be played from its start. */
  again: boolean;
  /** What it is and where it is from, as whoever made it wrote it; "" where nobody did. */
  about: string;
}

/** An illegal play that may still be put right. */
export interface IllegalDocument {
  seq: number;
  side: "white" | "black";
  code: string;
  /** What the words of `code` need to know. */
  facts: Record<string, Json>;
  /** Words by language, said when the document was made. */
  why: Record<string, string>;
  told: string;
  roll: [number, number] | null;
  placement: PlacementDocument;
  /** Staff only. */
  pictures?: string[];
  /** The nearest legal plays, where players may have a hint. */
  nearest: string[];
}

/** Board and record differ, and where. */
export interface DifferenceDocument {
  seq: number;
  reason: string;
  sites: number[];
  options: string[];
}

/** One answer to a question: the play, and the roll that it was made with. */
export interface AnswerDocument {
  text: string;
  roll: [number, number] | null;
}

/**
 * What the table asks of a turn that was ended. `choose_explanation` takes the index of an answer,
 * `not_so` says that the board is otherwise.
 */
export interface QuestionDocument {
  code: "choose_play" | "other_roll";
  /** The roll that was read; with `other_roll` no answer has it. */
  read: [number, number] | null;
  told: string;
  answers: AnswerDocument[];
}

export interface EarlyDocument {
  side: "white" | "black";
  /** Of stand, redo and pause. */
  choices: string[];
}

export interface ResigningDocument {
  side: "white" | "black";
  level: number;
}

export interface LightDocument {
  colour: string;
  pattern: string;
  side: "white" | "black" | null;
}

export interface FaceDocument {
  text: string;
  colon: boolean;
  lamp: string;
}

export interface FacesDocument {
  south?: FaceDocument;
  north?: FaceDocument;
}

/** What the board itself shows. */
export interface SceneDocument {
  /** By site, a number as text. */
  lights: Record<string, LightDocument[]>;
  clock_face: FacesDocument;
}

/** One of several plays that the board may show. */
export interface OptionDocument {
  text: string;
  roll: [number, number] | null;
  p: number;
  placement: PlacementDocument;
}

/** What reconcile makes of the board now; empty in a document of the past. */
export interface BeliefDocument {
  verdict?: "pending" | "agreed" | "ambiguous" | "other_roll" | "illegal" | "blind" | "differs";
  probability?: number | null;
  differs?: number[];
  options?: OptionDocument[];
}

/** What a commentator sends to the overlay. */
export interface NoteDocument {
  /** Grows: another number is another note. */
  number: number;
  /** The lower third; empty takes it away. */
  text: string;
  /** Table time until which it stays. */
  until: number;
  /** The last play is to be shown once more. */
  replay: boolean;
}

/** Everything that the table's own process says. */
export interface TableDocument {
  schema: "takhte-state/1";
  table: string;
  /** Number of the journal's last entry; grows. */
  seq: number;
  /** Table time when this was said. */
  at: number;
  phase:
    | "idle"
    | "setting-up"
    | "opening"
    | "to-roll"
    | "doubled"
    | "moving"
    | "pressed"
    | "illegal"
    | "differs"
    | "game-over"
    | "match-over"
    | "frozen"
    | "adjourned";
  waits_for: PromptDocument;
  match: MatchDocument;
  board: BoardDocument;
  on_roll: "white" | "black" | null;
  dice: DiceDocument;
  cube: CubeDocument;
  clock: ClockDocument;
  /** The live feed holds the last game's only; GET .../state all. */
  plays: PlayDocument[];
  games: GameDocument[];
  alerts: AlertDocument[];
  rulings: RulingDocument[];
  sources: Record<string, SourceDocument>;
  /** There where the table plays a recording: its clocks stand while that does. */
  film?: FilmDocument;
  illegal: IllegalDocument | null;
  differs: DifferenceDocument | null;
  question: QuestionDocument | null;
  /** A roll thrown too early, until the interrupted side chooses. */
  premature: [number, number] | null;
  /** Who threw it, and what the interrupted side may choose. */
  early: EarlyDocument | null;
  resigning: ResigningDocument | null;
  scene: SceneDocument | null;
  /** Staff only. */
  belief?: BeliefDocument;
  /** On the overlay alone, as late as all that it shows. */
  note?: NoteDocument;
  /** What is wrong with the table itself, a line each; staff only. */
  trouble?: string[];
}

/**
 * What one table shows now. New keys may be added within version 1; none is renamed or changes its
 * meaning. Times are table time: seconds that run only while the table runs.
 */
export interface StateDocument extends TableDocument {
  view: "public" | "clock" | "player" | "staff";
  /** How far behind the table this is. */
  delay_s: number;
  /** There while a raised delay holds the feed: an empty table for so long; keep what you show. */
  held_s?: number;
  /** Whether the table's own process answers. */
  connected: boolean;
}
