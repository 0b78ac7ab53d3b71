import type { RawRequest } from "../raw-http.ts";
import type { Variant } from "../variants.ts";

/** Properties of a set-up that decide how it answers. */
export type Trait =
  /** The request is a Fetch `Request`, whose `Headers` joins the values of a repeated header. */
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
  /** The answer of set-ups with this trait, and why it differs. */
  differs?: { trait: Trait; expect: Expected; because: string };
  /** Sends the next request as soon as this one's handler runs, not after its answer. */
  inBackground?: true;
}

/** The values from which a request is made. */
export interface Given {
  /** Unix seconds. */
  now: number;
  /** The endpoint's secret; while it is being changed, the old one. */
  secret: string;
  /** The new secret, while it is being changed. */
  newSecret: string;
  /** Unique for each run of a case. */
  unique: string;
}

export interface Case {
  name: string;
  /** The README's receiver that the case needs. Default: the recipe as it is written. */
  variant?: Variant;
  /** Set-ups with this trait skip the case, and why. */
  without?: { trait: Trait; because: string };
  steps: [Step, ...Step[]];
}
