/**
 * The types of the pages, for the checker alone: no browser loads this file.
 *
 * What the API answers is described in service/web/schema.py and docs/api.md.
 */
import type { StateDocument } from "./state.js";

export type { StateDocument };
export type SideName = NonNullable<StateDocument["on_roll"]>;
export type Colour = StateDocument["match"]["players"]["white"]["colour"];
export type Roll = NonNullable<StateDocument["dice"]["roll"]>;
export type Words = NonNullable<StateDocument["match"]["title"]>;
/** What is drawn of a board: the count of checkers is for those who edit it. */
export type BoardDocument = Omit<StateDocument["board"], "checkers"> & { checkers?: number };
export type Placement = Pick<BoardDocument, SideName>;
/** What is drawn of the dice. */
export type DiceDocument = Pick<StateDocument["dice"], "roll" | "seen"> &
  Partial<StateDocument["dice"]>;
export type CubeDocument = StateDocument["cube"];
export type ClockDocument = StateDocument["clock"];
export type PlayDocument = StateDocument["plays"][number];
export type AlertDocument = NonNullable<StateDocument["alerts"]>[number];
export type Lights = NonNullable<NonNullable<StateDocument["scene"]>["lights"]>;
export type SideFace = NonNullable<
  NonNullable<NonNullable<StateDocument["scene"]>["clock_face"]>["south"]
>;
export type WaitArguments = StateDocument["waits_for"]["args"];

/** What the server tells a page about itself and its visitor (service/web/pages.py). */
export interface Context {
  table: string;
  tables: string[];
  language: string;
  me: { name: string; role: string; side: SideName | null; view: StateDocument["view"] };
  /** The orders that this visitor may give. */
  orders: string[];
  /** Ten digits and a percent sign of the language, "" for the usual ones. */
  digits: string;
  /** What each source is called, by its name in the document. */
  sources: Record<string, string>;
  hall: boolean;
  screen?: string;
  shown?: string | null;
}

/** A refusal: what was expected, what came, what to do next. */
export interface Refusal {
  code?: string;
  expected?: string;
  came?: string;
  next?: string;
}

export type Child = Node | string | number | false | null | undefined | readonly Child[];
export type AttributeValue = string | number | boolean | null | undefined;
/** Attributes of an element; those that begin with `on` are listeners. */
export interface Attributes {
  onclick?: (event: MouseEvent) => unknown;
  onchange?: (event: Event) => unknown;
  onsubmit?: (event: SubmitEvent) => unknown;
  [name: string]: AttributeValue | ((event: never) => unknown);
}

export interface Point {
  x: number;
  y: number;
}
/** A move of one checker in White's sites; 0 is off, 25 the bar. */
/** Where the sites lie on the drawn board: `geometry.js`. */
export type { Layout } from "./geometry.js";
import type { Layout } from "./geometry.js";

export interface Move {
  side: SideName;
  from: number;
  to: number;
}
/** How a board document is drawn beside its checkers. */
export interface DrawOptions {
  seat?: string;
  dice?: DiceDocument | null;
  roller?: SideName | null;
  cube?: CubeDocument | null;
  lights?: Lights | null;
  /** Sites that differ. */
  wrong?: number[];
  /** Sites that were changed by what is drawn. */
  changed?: number[];
  /** The moves of the last play, once it is known how the board lies. */
  last?: (layout: Layout) => Move[];
}

/** One entry of the journal as JSON. */
export interface Entry {
  seq: number;
  kind: string;
  /** Unix seconds. */
  wall: number;
  hash?: string;
  by: { role: string; name?: string; side?: SideName };
  body: EntryBody;
  /** The words for it, where it says which rule was broken. */
  why?: Words;
}
/** What the pages read of any entry's body; every kind has some of it. */
export interface EntryBody {
  side?: SideName;
  reason?: string;
  facts?: { reason?: string };
  text?: string;
  matter?: string;
  white?: string | number[];
  black?: string | number[];
  what?: string;
  number?: number;
  value?: number;
  roll?: RollInEntry;
  problem?: string;
  notation?: string;
  infraction?: string | null;
  origin?: PlayDocument["origin"];
  source?: string;
  standing?: PlayDocument["standing"];
  code?: string;
  answer?: string;
  winner?: SideName | null;
  points?: number;
  about?: number;
  penalty?: string;
  amount?: number;
  decision?: string;
  probability?: number | null;
  by_hand?: boolean;
  pictures?: string[];
  placement?: Placement;
  evidence?: Evidence;
}
export type RollInEntry = string | number[] | { high: number; low: number } | null;
/** A play as the document or, for an older moment, an entry's body has it. */
export type PlayLike = Partial<Omit<PlayDocument, "roll" | "seq">> & {
  seq: number;
  roll?: RollInEntry;
};
/** What was weighed before an entry was written. */
export interface Evidence {
  why?: Words;
  sources?: Record<string, { number?: number; age?: number; rests?: number; against?: number }>;
  rows?: Explanation[];
}
export interface Explanation {
  kind?: string;
  p?: number;
  probability?: number;
  roll?: string;
  sites?: [number, ...unknown[]][];
}

export interface LegalPlay {
  text: string;
  roll?: Roll;
  placement: Placement;
}
export interface LegalPlays {
  plays?: LegalPlay[];
  before?: Placement;
}
export interface Delay {
  seconds: number;
  fine: number;
  held_s: number;
}
export interface Stream {
  shared: boolean;
  why: string;
  every_s: number | null;
  kept: number;
  megabytes: number;
  megabytes_most: number;
  viewers: number;
}
/** A match that is over, as a relay's files tell it. */
export interface RelayedMatch {
  white: string;
  black: string;
  white_score: number;
  black_score: number;
  files: Record<string, string>;
}

/** A webhook as staff see it. */
export interface Webhook {
  id: string;
  url: string;
  events: string[];
  log: {
    at: number;
    table: string;
    event: string;
    seq: number;
    tries: number;
    status: number;
    problem: string;
  }[];
}

export interface Push {
  url: string;
  has_token: boolean;
  problem: string;
}
export interface Device {
  id: string;
  name: string;
  role: string;
  side: string | null;
}

export interface Account {
  name: string;
  role: string;
}
export interface Pairing {
  code: string;
  address: string;
  svg: string;
  seconds: number;
}
/** What the next match at a table would be played by: every key of an event by its dotted name. */
export interface Proposal {
  values: Record<string, unknown>;
  /** What holds for a match that does not say it. */
  base: Record<string, unknown>;
  clock: string;
  seating: { white: string; home: string };
  buttons: boolean;
}
/** A ruleset with the options that are asked for; words by language. */
export interface RulesetChoice {
  name: string;
  title: Words;
  cube: boolean;
  options: {
    axis: string;
    title: Words;
    value: unknown;
    choices: { value: unknown; title: Words }[];
  }[];
}
export interface ClockPreset {
  name: string;
  bank: number;
  bank_per_point: number;
  delay: number;
}
export interface Commentary {
  game: number | null;
  judged: boolean;
  trouble: { code: "absent" | "hung" | "broken"; line: string } | null;
  pending: number;
  pips: Record<SideName, number> | null;
  luck: Record<SideName, number | null> | null;
  side: SideName;
  equity: number | null;
  chances: number[];
  seq: number;
  best: { text: string; equity: number | null }[];
  cube: { double: boolean; takes: boolean } | null;
  race: {
    keith: number[];
    keith_says: { double: boolean; take: boolean };
    ward: number[];
    ward_says: { double: boolean; take: boolean };
    effective: (number | null)[];
  } | null;
  course: { game: number; turn: number; white: number }[];
  turns: {
    side: SideName;
    roll: string;
    text: string;
    luck: number | null;
    cost: number | null;
    better: string;
  }[];
}

/** What the audience may be told of the play: of the entry `seq`. */
export interface Analysis {
  seq: number;
  game: number;
  side: SideName | null;
  chances: number[];
  turns: { side: SideName; cost?: number | null }[];
  pending: number;
}
/** Who somebody is on the air: pictures are files of the theme's folder. */
export interface ThemePerson {
  country?: string;
  picture?: string;
  badge?: string;
}
/** A theme of the overlay, as `air/NAME.json` in the data folder has it. */
export interface Theme {
  base?: string;
  layout?: string;
  font?: string;
  colours?: Record<string, string>;
  round?: string;
  third?: string;
  sponsor?: string;
  sponsor_picture?: string;
  logo?: string;
  people?: Record<string, ThemePerson>;
}

/** One matter of a table on the hall's wall. */
export interface Matter {
  code: string;
  need: number;
  side?: SideName | null;
  seconds?: number;
  count?: number;
  reason?: string;
}
/** One table on the hall's wall (service/hall/view.py). */
export interface Card extends Partial<Placement> {
  table: string;
  need: number;
  silent: boolean;
  matters?: Matter[];
  names: [string, string];
  score: [number, number];
  length: number | null;
  game: number;
  crawford: boolean;
  phase: string;
  on_roll: SideName | null;
  roll: Roll | null;
  cube?: [number, SideName | null];
  seating: BoardDocument["seating"];
  facing: BoardDocument["facing"];
  clock: ClockDocument;
  /** The hall's own time when this was made. */
  made: number;
}
export interface WallEvent {
  name: string;
  round: number;
  finished: number;
  matches: number;
  starts: number | null;
  over: boolean;
}
export interface WallFrame {
  now: number;
  frame: number;
  hall: { problem?: string; behind?: number; event?: WallEvent };
  cards: Card[];
}
export interface HallCommand {
  at: number;
  table: string;
  who: string;
  what: string;
  outcome: string;
  detail: string;
}
export interface HallBoard {
  table: string;
  fingerprint: string;
  since: number;
  until: number | null;
}
export interface HallResult {
  round: number;
  table: string;
  white: string;
  black: string;
  winner: string;
  state: "waiting" | "playing" | "finished" | "unknown";
  white_score: number;
  black_score: number;
}
export interface EventMatch {
  id: string;
  round: number;
  first: string;
  second: string;
  bout: string;
  table: string;
  state: "bye" | "waiting" | "called" | "playing" | "over";
  ending: string;
  score: [number, number] | null;
  walkover: boolean;
  reported: boolean;
  problem: string;
}
export interface EventLine {
  place: number;
  name: string;
  points: number;
  breaks: number[];
  cells: string[];
  left: boolean;
}
export interface Bout {
  bout: string;
  part: string;
  round: number;
  seats: { name: string; state: "sits" | "undecided" | "nobody" }[];
  winner: string;
}
export interface EventStage {
  system: string;
  rounds: number;
  take: number;
  drawn: boolean;
  tables: EventLine[][];
  bouts: Bout[];
}
export interface EventState {
  name: string;
  stages: EventStage[];
  rounds: { number: number; starts: number | null; matches: EventMatch[] }[];
  entrants: {
    name: string;
    club: string;
    rating: number | null;
    joins: number;
    left: boolean;
    prize: number;
  }[];
  finished: number;
  matches: number;
  over: boolean;
  winners: string[][];
  next: string;
  rules: { length: number | null; event: string } | null;
  free: string[];
  acts: { seq: number; at: number; by: string; kind: string; facts: string[] }[];
}

/** A match at the desk (service/web/amend_schema.py). */
export interface AmendRow {
  mark: number;
  kind: "play" | "cube" | "end" | "score";
  game: number;
  side: SideName | null;
  dice: Roll | null;
  text: string;
  done: string;
  value: number;
  score: [number, number];
  before: Placement;
  after: Placement;
  why: string[];
  doubtful: boolean;
  said: boolean;
  added: boolean;
  at: number;
  pictures: [string, string];
}
export interface AmendDocument {
  title: string;
  ruleset: string;
  white: string;
  black: string;
  length: number;
  seating: BoardDocument["seating"];
  facing: BoardDocument["facing"];
  rows: AmendRow[];
  remarks: string[];
  edits: { by: string; at: number; what: string }[];
  sealed: { by: string; at: number } | null;
}
export interface AmendPlays {
  side: SideName;
  before: Placement;
  plays: { text: string; board: Placement }[];
}
