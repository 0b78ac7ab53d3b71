import type { Outcome } from "./outcome.ts";

/** Milliseconds of each step. Undefined for a step that did not happen, such as `connect` on a reused connection. */
interface Timings {
  dns: number | undefined;
  connect: number | undefined;
  tls: number | undefined;
  /** From writing the request to the first byte of the response. */
  firstByte: number | undefined;
  total: number;
}

export interface ReceivedResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first 4 KiB, as received: compressed bytes are not decompressed. */
  body: Uint8Array;
  /** How many bytes were read; `body` has the first of them. */
  bodyBytes: number;
  /** `cut`: we stopped at 64 KiB. `deadline`: the time was up. `broken`: the receiver ended the connection early. */
  bodyEnd: "complete" | "cut" | "deadline" | "broken";
}

/** The result of one attempt to deliver one event to one endpoint. */
export interface AttemptResult {
  outcome: Outcome;
  startedAt: Date;
  /** As sent: name, value, name, value … without `host` and `content-length`. Empty if the guard refused the URL. */
  headers: readonly string[];
  /** The checked address of the connection. */
  address: string | undefined;
  /** Whether the request was sent on a connection that an earlier attempt left open. */
  reusedConnection: boolean;
  timings: Timings;
  response: ReceivedResponse | undefined;
}
