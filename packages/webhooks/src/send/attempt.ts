import type { Outcome } from "./outcome.ts";

/** Milliseconds of each step; undefined where there was none, as on a connection kept alive. */
export interface Timings {
  dns: number | undefined;
  connect: number | undefined;
  tls: number | undefined;
  /** From handing over the request to the answer's first byte. */
  firstByte: number | undefined;
  total: number;
}

export interface ResponseSeen {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first 4 KiB, as they came: compressed bytes are not inflated. */
  body: Uint8Array;
  /** How many bytes were read, of which `body` keeps the first. */
  bodyBytes: number;
  /** `cut` at 64 KiB, `deadline` when time ran out, `broken` when the receiver ended it early. */
  bodyEnd: "complete" | "cut" | "deadline" | "broken";
}

/** One attempt at delivering one event to one endpoint. */
export interface Attempt {
  outcome: Outcome;
  startedAt: Date;
  /** As sent, names and values in turn, without those of the connection (host, length). Empty for a refused URL. */
  headers: readonly string[];
  /** The checked address that was connected to. */
  address: string | undefined;
  /** Whether the request went over a connection kept alive from an earlier one. */
  reusedConnection: boolean;
  timings: Timings;
  response: ResponseSeen | undefined;
}
