import type { Deps } from "@querybell/core";
import type { RateLimiter } from "@querybell/core/limits";
import {
  AppError,
  type BlockedOrganization,
  type Caller,
  type FairSlots,
  isAtLeast,
  type Person,
  type Scope,
} from "@querybell/domain";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ObserveCall } from "../http/status-routes.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The context of every procedure: the caller, and the dependencies of the use cases. */
export interface Context {
  deps: Deps;
  limiter: Pick<RateLimiter, "take">;
  /** Limits how many requests of one organization run at once; the others wait. */
  requestSlots: FairSlots;
  subscriptions: Subscriptions;
  observeCall: ObserveCall;
  /** Aborted when the server closes, which ends open subscriptions. */
  closing: AbortSignal;
  /** Set if the request has a valid session cookie. */
  person?: Person | undefined;
  /** Set if the key or the session's user belongs to an organization, and the session opens it. */
  caller?: Caller | undefined;
  /** Set if the session does not open its organization. */
  blocked?: BlockedOrganization | undefined;
  /** The organization that the client names in a header, if it does. */
  namedOrganizationId?: string | undefined;
  /** The client's IP address, by which calls without a session or key are limited. */
  address: string;
}

/** Given the reply, it also renews the session where that is due, and sets the cookie. */
export type CreateContext = (request: FastifyRequest, reply?: FastifyReply) => Promise<Context>;

// The checks of every call, whether it comes over tRPC or over a published REST route.

/** Counts a call. Throws `rate_limited` if its key, person or address has made too many. */
export const limitRate = ({ limiter, caller, person, address }: Context): void =>
  limiter.take(
    caller?.via.kind === "key"
      ? `key:${caller.via.keyId}`
      : person
        ? `user:${person.userId}`
        : `from:${address}`,
  );

/** Runs a call once one of its organization's request slots is free. */
export async function inRequestSlot<Answer>(
  { caller, requestSlots }: Context,
  signal: AbortSignal | undefined,
  run: () => Promise<Answer>,
): Promise<Answer> {
  if (!caller) return run();
  const release = await acquireSlot(requestSlots, caller, signal);
  try {
    return await run();
  } finally {
    release();
  }
}

/** Waits for a slot of the caller's organization. Returns a function that releases it. */
export async function acquireSlot(
  slots: FairSlots,
  { organizationId }: Caller,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const release = await slots.acquire(organizationId, signal);
  if (!release) throw new AppError("unavailable", "The server is stopping. Try again.");
  return release;
}

/** The lowest role that may do something in an organization. */
export type OrganizationAccess = "viewer" | "member";

interface Needed {
  access: OrganizationAccess;
  scope: Scope | undefined;
  /** Whether it changes something. Not allowed to an admin who sees the organization as somebody else. */
  isChange?: boolean;
}

/**
 * The caller, if it has a session in an organization or, where a scope is given, a key with that scope, and at least this
 * role. A session is refused if the call names another organization: the session was switched while the client still
 * showed that one.
 */
export function requireMember(context: Context, { access, scope, isChange = false }: Needed): Caller {
  const caller = requireCaller(context, scope);
  if (caller.seenBy !== undefined && (isChange || access !== "viewer")) {
    throw new AppError(
      "forbidden",
      "You see the organization as somebody else, and change nothing meanwhile. Stop that first.",
    );
  }
  if (isAtLeast(caller.role, access)) return caller;
  throw new AppError(
    "forbidden",
    "Viewers open what others have saved, and change nothing. Ask an admin for the role of a member.",
  );
}

function requireCaller(context: Context, scope: Scope | undefined): Caller {
  const { caller, blocked, namedOrganizationId } = context;
  if (blocked) throw blockedBy[blocked.by]();
  if (!caller) throw new AppError("unauthorized", whyNoCaller(context));
  if (caller.via.kind !== "key") {
    if (namedOrganizationId !== undefined && namedOrganizationId !== caller.organizationId) {
      throw new AppError("session_switched", "Your session is in another organization now. Reload the page.");
    }
    return caller;
  }
  if (!scope) throw new AppError("forbidden", "API keys cannot do this. Sign in to the web app instead.");
  if (!caller.via.scopes.includes(scope)) {
    throw new AppError("forbidden", `This API key lacks the scope ${scope}.`);
  }
  return caller;
}

const blockedBy: Record<BlockedOrganization["by"], () => AppError> = {
  single_sign_on: () =>
    new AppError(
      "single_sign_on_required",
      "This organization is opened only by single sign-on. Sign out, and sign in through its provider.",
    ),
  other_organization: () =>
    new AppError(
      "unauthorized",
      "You are no longer a member of the organization whose provider you signed in with.",
    ),
  second_factor: () =>
    new AppError(
      "second_factor_required",
      "This organization demands a second factor. Set one up in your account, or sign in with it.",
    ),
};

const whyNoCaller = ({ person }: Context): string =>
  person
    ? "You belong to no organization. Create one, or ask for an invitation."
    : "Sign in, or send an API key in the header Authorization: Bearer <key>.";
