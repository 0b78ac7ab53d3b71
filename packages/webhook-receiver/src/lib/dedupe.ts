import { anything, type Rule } from "./check-options.ts";
import type { Delivery } from "./delivery.ts";

/** `claimed`: handle the event. `in_progress`: another claim is active. `duplicate`: handled before. */
export type Claim = { kind: "claimed"; token: string } | { kind: "in_progress" } | { kind: "duplicate" };

/**
 * Remembers which events were handled. `claim` must be atomic: of two concurrent claims, one is `claimed`. A
 * claim expires, so that an event whose process died is handled later. A key is the receiver's `endpoint`, a
 * colon, and the event's id: one event goes to each endpoint.
 */
export interface DedupeStore {
  claim(key: string): Promise<Claim>;
  /** The event is handled: remember it for at least 48 hours, since retries span about 36. */
  commit(key: string, token: string): Promise<void>;
  /** The handler failed: delete the claim, unless it has expired and another token holds it. */
  release(key: string, token: string): Promise<void>;
  /** Extends the claim while the handler runs. Without it, a handler must end before its claim expires. */
  renew?(key: string, token: string): Promise<void>;
  /** How often a running handler's claim is renewed. Default: every minute. */
  readonly renewEverySeconds?: number;
  /** Stores that use the same rows have the same object here, so that shared stores are recognized. */
  readonly rows?: object;
}

/** The endpoint of a receiver that names none. */
export const defaultEndpoint = "default";

/**
 * The key under which version 0.1 recorded the event: its id alone. Only the default endpoint reads such
 * keys, because the other endpoints have not handled the event.
 */
export const earlierKey = (key: string): string | undefined =>
  key.startsWith(`${defaultEndpoint}:`) ? key.slice(defaultEndpoint.length + 1) : undefined;

/** How long a dedupe store remembers. */
export interface DedupeRetention {
  /** How long a handled event is remembered. Default and minimum: 48 hours. */
  keepSeconds?: number;
  /** After this time a claim expires that was neither committed nor released. Default: 5 minutes. */
  leaseSeconds?: number;
}

const leastKeepSeconds = 48 * 60 * 60;

export const retentionRules: Readonly<Record<keyof DedupeRetention, Rule>> = {
  keepSeconds: anything,
  leaseSeconds: anything,
};

export function retentionOf({
  keepSeconds = leastKeepSeconds,
  leaseSeconds = 300,
}: DedupeRetention): Required<DedupeRetention> {
  if (!(Number.isFinite(keepSeconds) && keepSeconds >= leastKeepSeconds)) {
    throw new RangeError(
      `keepSeconds must be a number of at least ${leastKeepSeconds} (48 hours): retries span about 36 hours.`,
    );
  }
  if (!(Number.isFinite(leaseSeconds) && leaseSeconds > 0)) {
    throw new RangeError("leaseSeconds must be a number above 0.");
  }
  return { keepSeconds, leaseSeconds };
}

/** Handles a delivery. If it throws, the sender retries, which calls it again. */
export type DeliveryHandler = (delivery: Delivery) => unknown;

/** A verified delivery, and whether it is to be handled. */
export type Acceptance =
  | {
      kind: "accepted";
      delivery: Delivery;
      /** Runs the handler, then commits the claim. If the handler throws, releases the claim and rethrows. */
      run(handler: DeliveryHandler): Promise<void>;
    }
  /** Handled before: answer 2xx. */
  | { kind: "duplicate"; delivery: Delivery }
  /** Being handled right now, and that may still fail: do not answer 2xx, so that the sender retries. */
  | { kind: "in_progress"; delivery: Delivery };

/** @param key The endpoint's name, a colon, and the event's id. */
export async function accept(
  delivery: Delivery,
  store: DedupeStore | undefined,
  key: string,
): Promise<Acceptance> {
  const claim: Claim = store ? await store.claim(key) : { kind: "claimed", token: "" };
  if (claim.kind !== "claimed") return { kind: claim.kind, delivery };
  return {
    kind: "accepted",
    delivery,
    async run(handler) {
      const { token } = claim;
      // If a renewal fails, the next one may succeed. If none does, the claim expires.
      const renew = () => void store?.renew?.(key, token).catch(() => {});
      const renewing = store?.renew && setInterval(renew, (store.renewEverySeconds ?? 60) * 1000);
      try {
        await handler(delivery);
      } catch (error) {
        try {
          await store?.release(key, token);
        } catch {
          // The claim will expire. The handler's error is the one to throw.
        }
        throw error;
      } finally {
        clearInterval(renewing);
      }
      await store?.commit(key, token);
    },
  };
}
