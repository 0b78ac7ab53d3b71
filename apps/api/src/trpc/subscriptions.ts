import { isDeepStrictEqual } from "node:util";
import type { Deps } from "@querybell/core";
import type { Rights } from "@querybell/core/access";
import { type CurrentAccess, readCurrentAccess } from "@querybell/core/identity";
import { createSubscriptionCounts } from "@querybell/core/limits";
import { AppError, isAtLeast } from "@querybell/domain";
import type { Context } from "./context.ts";

/** Who opened a subscription, and the access that it requires. */
export interface Subscriber extends Pick<Context, "caller" | "person"> {
  /** What the caller could see when it was opened. */
  rights: Rights | undefined;
  access: "public" | "person" | "key" | "viewer" | "member" | "admin";
}

interface OpenSubscription {
  /** Aborted when the subscriber loses access. */
  signal: AbortSignal;
  close(): void;
}

export interface Subscriptions {
  /** Throws `rate_limited` if the subscriber has too many open subscriptions in all processes. */
  open(subscriber: Subscriber): Promise<OpenSubscription>;
  close(): Promise<void>;
}

interface SubscriptionsOptions {
  deps: Pick<Deps, "db" | "rights">;
  maxPerSubscriber: number;
  onError: (error: unknown) => void;
}

// A subscription must end within five seconds after its subscriber loses access: this interval plus one check.
const checkIntervalMs = 2_000;

/** The open subscriptions of this process. Checks regularly whether their subscribers still have access. */
export function createSubscriptions({
  deps,
  maxPerSubscriber,
  onError,
}: SubscriptionsOptions): Subscriptions {
  const counts = createSubscriptionCounts({ deps, onError });
  const open = new Map<AbortController, Subscriber>();
  let isChecking = false;

  async function checkAccess(): Promise<void> {
    if (open.size === 0 || isChecking) return;
    isChecking = true;
    try {
      await counts.renew();
      const subscribers = [...open.values()];
      const now = await readCurrentAccess(deps, {
        keyIds: [...new Set(subscribers.flatMap((subscriber) => keyOf(subscriber) ?? []))],
        sessionIds: [...new Set(subscribers.flatMap(({ person }) => person?.sessionId ?? []))],
      });
      for (const subscriber of subscribers) {
        if (hasRight(subscriber, now) && (await hasSameRights(deps, subscriber))) continue;
        for (const [controller, other] of open) if (other === subscriber) controller.abort();
      }
    } catch (error) {
      // Without the database, subscriptions have nothing to send either.
      onError(error);
    } finally {
      isChecking = false;
    }
  }

  const timer = setInterval(checkAccess, checkIntervalMs);
  timer.unref();

  return {
    async open(subscriber) {
      const name = nameOf(subscriber);
      if (!(await counts.open(name, maxPerSubscriber))) {
        throw new AppError(
          "rate_limited",
          `${maxPerSubscriber} live subscriptions are open for this ${subscriber.person ? "person" : "API key"}. Close one, then try again.`,
          { retryAfterSeconds: checkIntervalMs / 1000 },
        );
      }
      const controller = new AbortController();
      open.set(controller, subscriber);
      const close = () => {
        if (open.delete(controller)) counts.close(name);
      };
      return { signal: controller.signal, close };
    },
    async close() {
      clearInterval(timer);
      await counts.stop();
    },
  };
}

const keyOf = ({ caller }: Subscriber): string | undefined =>
  caller?.via.kind === "key" ? caller.via.keyId : undefined;

const nameOf = (subscriber: Subscriber): string =>
  subscriber.person ? `user:${subscriber.person.userId}` : `key:${keyOf(subscriber)}`;

function hasRight(subscriber: Subscriber, { keys, sessions }: CurrentAccess): boolean {
  const { access, caller, person } = subscriber;
  const keyId = keyOf(subscriber);
  if (keyId !== undefined) return keys.has(keyId);
  const session = sessions.get(person?.sessionId ?? "");
  if (!session) return access === "public";
  if (access === "public" || access === "person") return true;
  if (!session.role || session.organizationId !== caller?.organizationId) return false;
  return access === "key" || isAtLeast(session.role, access);
}

/** One whose caller sees less or more than before has to be opened again. */
async function hasSameRights({ rights }: Pick<Deps, "rights">, subscriber: Subscriber): Promise<boolean> {
  const { caller, access } = subscriber;
  if (!caller || access === "person" || access === "public") return true;
  return isDeepStrictEqual(subscriber.rights, await rights.of(caller));
}

const accessLost = () =>
  new AppError(
    "unauthorized",
    "You no longer have the right to watch this. Sign in again, or use another API key.",
  );

/** Yields the values of a subscription until its subscriber loses access, then throws `unauthorized`. */
export async function* whileAllowed(
  values: AsyncIterable<unknown>,
  { signal, close }: OpenSubscription,
): AsyncGenerator<unknown> {
  let refuse = (_: AppError) => {};
  const onAbort = () => refuse(accessLost());
  signal.addEventListener("abort", onAbort, { once: true });
  const iterator = values[Symbol.asyncIterator]();
  // A race with one promise for the whole subscription would keep every value in memory until that promise settles.
  const next = () =>
    new Promise<IteratorResult<unknown>>((resolve, reject) => {
      refuse = reject;
      if (signal.aborted) onAbort();
      else iterator.next().then(resolve, reject);
    });
  try {
    for (;;) {
      const { done, value } = await next();
      if (done) return value;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    close();
    // Not awaited: an iterator that ignores its signal would keep this generator open.
    iterator.return?.()?.catch(() => {});
  }
}
