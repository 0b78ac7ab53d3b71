import type { RawRequest } from "../raw-http.ts";
import type { Variant } from "../variants.ts";

/** What a set-up is built on, where that decides an answer. */
export type Trait =
  /** The request comes as a Fetch `Request`, whose `Headers` joins a header that is there twice. */
  | "fetch"
  /** The webhook is a listener of `node:http`, which answers for a handler that throws. */
  | "node-listener"
  /** Next's own server is in front of the route. */
  | "next"
  /** The platform waits for the body's end before it calls the program or answers. */
  | "whole-bodies";

export interface Expected {
  status: number;
  /** The `code` in the answer. Without one the answer is the framework's own. */
  code?: string;
}

export interface Step {
  send(given: Given): RawRequest;
  expect: Expected;
  /** What is answered where a set-up has this trait, and why. */
  differs?: { trait: Trait; expect: Expected; because: string };
  /** Sends the next request as soon as this one's handler runs, not after its answer. */
  inBackground?: true;
}

/** What the sender knows when it makes a request. */
export interface Given {
  /** Unix seconds. */
  now: number;
  /** The endpoint's secret; while it is being changed, the old one. */
  secret: string;
  /** The new secret, while it is being changed. */
  newSecret: string;
  /** A fresh text that tells this run of the case from all others. */
  unique: string;
}

export interface Case {
  name: string;
  /** The README's receiver that the case needs. Default: the recipe as it is written. */
  variant?: Variant;
  /** Set-ups with this trait cannot get the request, and why. */
  without?: { trait: Trait; because: string };
  steps: [Step, ...Step[]];
}
