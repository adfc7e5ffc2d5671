/**
 * The state document `takhte-state/1`, as service/web/static/schema/state-1.json describes it.
 *
 * The seam to the server: the pages import `StateDocument` alone and name its parts by indexing it
 * (types.d.ts), so that this file can be made from the definition in Python.
 */
export type SideName = "white" | "black";
export type Colour = "light" | "dark";
export type Roll = [number, number];
/** Words by language. */
export type Words = Record<string, string>;

/** Checkers by site in White's numbering: borne off, points 1 to 24, bar. */
export interface Placement {
  white: number[];
  black: number[];
}

export interface Player {
  name: string;
  score: number;
  colour: Colour;
  /** Illegal plays so far; absent for those who may not know. */
  illegal?: number;
}

export interface SideClock {
  /** Seconds left of the bank at `as_of`. */
  bank: number;
  /** Seconds left of this turn's delay at `as_of`. */
  delay: number;
  flags: number;
}

export interface Light {
  colour: string;
  pattern: string;
  side: SideName | null;
}

export interface SideFace {
  text: string;
  colon: boolean;
  lamp: string;
}

export interface StateDocument {
  schema: "takhte-state/1";
  table: string;
  /** Number of the journal's last entry; grows. */
  seq: number;
  /** Table time when this was said: seconds that run only while the table runs. */
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
  waits_for: {
    code: string;
    side: SideName | null;
    args: { thrown?: number[]; roll?: Roll; value?: number; level?: number };
  };
  match: {
    /** Points; null is a money session. */
    length: number | null;
    ruleset: string | null;
    title?: Words;
    options?: { beavers?: boolean };
    game: number;
    crawford?: boolean;
    players: Record<SideName, Player>;
    event?: { name?: string; beavers?: boolean };
    result?: string | null;
  };
  board: Placement & {
    seating: {
      white: Colour;
      home: "south-east" | "south-west" | "north-west" | "north-east";
    };
    facing: "mirror" | "rotate";
    checkers?: number;
  };
  on_roll: SideName | null;
  dice: {
    roll: Roll | null;
    origin?: string | null;
    problem?: string | null;
    opening?: number[];
    no_play?: boolean;
    /** Dice as they lie; `where` in fractions of the upright board picture. */
    seen?: { where: [number, number]; value: number; status: string; old: boolean }[];
  };
  cube: {
    in_use: boolean;
    value: number;
    owner: SideName | "centre";
    offered_by: SideName | null;
    offered_value?: number | null;
  };
  clock: {
    kind: "ours" | "external" | "none";
    mode?: "simple" | "bronstein" | "fischer" | null;
    white?: SideClock | null;
    black?: SideClock | null;
    running: SideName | null;
    as_of: number;
  };
  /** The live feed holds the last game's only; GET .../state all. */
  plays: {
    game: number;
    number: number;
    side: SideName;
    roll: Roll | null;
    origin?: "read" | "inferred" | "entered" | "unknown" | null;
    /** Standard notation, the mover's own points. */
    text: string;
    /** Its entry in the journal. */
    seq: number;
    probability?: number | null;
    infraction?: string | null;
    standing?: "next-roll" | "accepted" | "ruled" | null;
    by_hand?: boolean;
    amended?: number | null;
    pictures?: string[];
  }[];
  games?: {
    game: number;
    winner: SideName;
    points: number;
    reason: string;
    result: string;
    score: Record<SideName, number>;
    seq: number;
  }[];
  alerts?: {
    id: string;
    kind: string;
    side: SideName | null;
    code: string;
    why: Words;
    told: string;
    seq: number;
    acknowledged_by: string | null;
  }[];
  rulings?: { seq: number; text: string; until: number | null; appealed: boolean }[];
  sources?: Record<string, { state: string; reason?: string }>;
  illegal?: {
    seq: number;
    side: SideName;
    code: string;
    why: Words;
    placement?: Placement;
  } | null;
  differs?: { seq: number; reason?: string; sites: number[]; options: string[] } | null;
  premature?: Roll | null;
  resigning?: { side: SideName; level: number } | null;
  scene?: {
    /** By site, a number as text. */
    lights?: Record<string, Light[]>;
    clock_face?: { south?: SideFace; north?: SideFace };
  } | null;
  /** Staff only. */
  belief?: {
    verdict?: string;
    probability?: number | null;
    differs?: number[];
    options?: { text: string; roll: Roll | null; p: number; placement: Placement }[];
  };
  /** What troubles the table itself; staff only. */
  trouble?: string[];
  view: "public" | "player" | "staff";
  /** How far behind the table this is, in seconds. */
  delay_s: number;
  /** There while a raised delay holds the feed: for so many seconds; keep what you show. */
  held_s?: number;
  /** Whether the table's own process answers. */
  connected: boolean;
}
