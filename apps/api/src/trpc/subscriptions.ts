import type { Deps } from "@querybell/core";
import { type AccessNow, readAccessNow } from "@querybell/core/identity";
import { AppError, isAtLeast } from "@querybell/domain";
import type { Context } from "./context.ts";

/** Who has opened a subscription, and with which right. */
export interface Subscriber extends Pick<Context, "caller" | "person"> {
  access: "public" | "person" | "key" | "member" | "admin";
}

export interface OpenSubscription {
  /** Aborted when the subscriber has lost the right to go on. */
  signal: AbortSignal;
  close(): void;
}

export interface Subscriptions {
  /** Throws `rate_limited` when the subscriber has too many open. */
  open(subscriber: Subscriber): OpenSubscription;
  close(): void;
}

interface SubscriptionsOptions {
  deps: Pick<Deps, "db">;
  maxPerSubscriber: number;
  onError: (error: unknown) => void;
}

// A right that is lost ends what it opened within five seconds: this, and the time that one look takes.
const lookEveryMs = 2_000;

/** The live subscriptions of a process. While some are open, it looks whether their openers still have the right. */
export function createSubscriptions({
  deps,
  maxPerSubscriber,
  onError,
}: SubscriptionsOptions): Subscriptions {
  const open = new Map<AbortController, Subscriber>();
  let isLooking = false;

  async function look(): Promise<void> {
    if (open.size === 0 || isLooking) return;
    isLooking = true;
    try {
      const subscribers = [...open.values()];
      const now = await readAccessNow(deps, {
        keyIds: [...new Set(subscribers.flatMap((subscriber) => keyOf(subscriber) ?? []))],
        sessionIds: [...new Set(subscribers.flatMap(({ person }) => person?.sessionId ?? []))],
      });
      for (const [controller, subscriber] of open) {
        // One that was opened since the question was asked has just been authenticated.
        if (subscribers.includes(subscriber) && !hasRight(subscriber, now)) controller.abort();
      }
    } catch (error) {
      // Without the database there is nothing to send either.
      onError(error);
    } finally {
      isLooking = false;
    }
  }

  const timer = setInterval(look, lookEveryMs);
  timer.unref();

  return {
    open(subscriber) {
      const name = nameOf(subscriber);
      const opened = [...open.values()].filter((other) => nameOf(other) === name).length;
      if (opened >= maxPerSubscriber) {
        throw new AppError(
          "rate_limited",
          `${maxPerSubscriber} live subscriptions are open for this ${subscriber.person ? "person" : "API key"}. Close one, then try again.`,
          { retryAfterSeconds: lookEveryMs / 1000 },
        );
      }
      const controller = new AbortController();
      open.set(controller, subscriber);
      return { signal: controller.signal, close: () => void open.delete(controller) };
    },
    close: () => clearInterval(timer),
  };
}

const keyOf = ({ caller }: Subscriber): string | undefined =>
  caller?.via.kind === "key" ? caller.via.keyId : undefined;

const nameOf = (subscriber: Subscriber): string =>
  subscriber.person ? `user:${subscriber.person.userId}` : `key:${keyOf(subscriber)}`;

function hasRight(subscriber: Subscriber, { keys, sessions }: AccessNow): boolean {
  const { access, caller, person } = subscriber;
  const keyId = keyOf(subscriber);
  if (keyId !== undefined) return keys.has(keyId);
  const session = sessions.get(person?.sessionId ?? "");
  if (!session) return access === "public";
  if (access === "public" || access === "person") return true;
  if (!session.role || session.organizationId !== caller?.organizationId) return false;
  return access !== "admin" || isAtLeast(session.role, "admin");
}

const lostRight = () =>
  new AppError(
    "unauthorized",
    "You no longer have the right to watch this. Sign in again, or use another API key.",
  );

/** What a subscription yields, until its right is lost; then it ends with an error that says so. */
export async function* whileAllowed(
  values: AsyncIterable<unknown>,
  { signal, close }: OpenSubscription,
): AsyncGenerator<unknown> {
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const onAbort = () => lost.reject(lostRight());
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const iterator = values[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await Promise.race([lost.promise, iterator.next()]);
      if (done) return value;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    close();
    // Not awaited: one that does not listen to its signal would keep this open.
    iterator.return?.()?.catch(() => {});
  }
}
