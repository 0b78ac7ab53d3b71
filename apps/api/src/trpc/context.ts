import type { Deps } from "@querybell/core";
import type { Caller, FairSlots, Person } from "@querybell/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ObserveCall } from "../http/status-routes.ts";
import type { RateLimiter } from "../http/rate-limiter.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The context of every procedure: the caller, and the dependencies of the use cases. */
export interface Context {
  deps: Deps;
  limiter: RateLimiter;
  /** Limits how many requests of one organization run at once; the others wait. */
  requestSlots: FairSlots;
  subscriptions: Subscriptions;
  observeCall: ObserveCall;
  /** Aborted when the server closes, which ends open subscriptions. */
  closing: AbortSignal;
  /** Set if the request has a valid session cookie. */
  person?: Person | undefined;
  /** Set if the key or the session's user belongs to an organization. */
  caller?: Caller | undefined;
  /** The organization that the client names in a header, if it does. */
  namedOrganizationId?: string | undefined;
  /** The client's IP address, by which calls without a session or key are limited. */
  address: string;
}

/** Given the reply, it also renews the session where that is due, and sets the cookie. */
export type CreateContext = (request: FastifyRequest, reply?: FastifyReply) => Promise<Context>;
