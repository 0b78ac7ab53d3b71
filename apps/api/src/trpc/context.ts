import type { Deps } from "@querybell/core";
import type { Caller, FairSlots, Person } from "@querybell/domain";
import type { FastifyRequest } from "fastify";
import type { RateLimiter } from "../http/rate-limiter.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** What every procedure starts from: who asks, and what the use cases need. */
export interface Context {
  deps: Deps;
  limiter: RateLimiter;
  /** How many requests of one organization are worked on at once; the others wait. */
  requestSlots: FairSlots;
  subscriptions: Subscriptions;
  /** Aborted when the server closes: live subscriptions end then. */
  closing: AbortSignal;
  /** Set when a session cookie was presented. */
  person?: Person | undefined;
  /** Set when the key, or the session's person, belongs to an organization. */
  caller?: Caller | undefined;
  /** Where the request came from, for limits on callers who are nobody yet. */
  address: string;
}

export type CreateContext = (request: FastifyRequest) => Promise<Context>;
