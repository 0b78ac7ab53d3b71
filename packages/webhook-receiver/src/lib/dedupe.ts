import { anything, type Rule } from "./check-options.ts";
import type { Delivery } from "./delivery.ts";

/** Whether this process may handle an event: it may, another is at it, or it was handled before. */
export type Claim = { kind: "claimed"; token: string } | { kind: "in_progress" } | { kind: "duplicate" };

/**
 * Remembers which events were handled. `claim` must be atomic: of two claims at once, one is `claimed`.
 * A claim lapses after a while, so that an event whose handler died with its process is handled later.
 * A key is the receiver's `endpoint`, a colon, and the event's id: one event goes to each endpoint.
 */
export interface DedupeStore {
  claim(key: string): Promise<Claim>;
  /** The event is handled: remember it for at least 48 hours, since retries span about 36. */
  commit(key: string, token: string): Promise<void>;
  /** The handler failed: forget the claim, unless it lapsed and belongs to another token by now. */
  release(key: string, token: string): Promise<void>;
  /** The handler still runs: the claim lapses later. Without it, no handler may run longer than a claim lasts. */
  renew?(key: string, token: string): Promise<void>;
  /** How often a running handler's claim is renewed. Default: every minute. */
  readonly renewEverySeconds?: number;
  /** The same object for every store that reads the same rows, by which shared stores are recognized. */
  readonly rows?: object;
}

/** The name of an endpoint without one. */
export const defaultEndpoint = "default";

/**
 * The key under which version 0.1 recorded the event: its id alone. Only the endpoint without a name goes on with
 * those: for another endpoint, the event is not handled yet.
 */
export const earlierKey = (key: string): string | undefined =>
  key.startsWith(`${defaultEndpoint}:`) ? key.slice(defaultEndpoint.length + 1) : undefined;

/** How long a dedupe store remembers. */
export interface DedupeRetention {
  /** For how long a handled event is remembered. Default and least: 48 hours. */
  keepSeconds?: number;
  /** After how long a claim that was neither committed nor released lapses. Default: 5 minutes. */
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

/** What handles a delivery. If it throws, the sender's retry will call it again. */
export type DeliveryHandler = (delivery: Delivery) => unknown;

/** A verified delivery, and whether it is to be handled. */
export type Acceptance =
  | {
      kind: "accepted";
      delivery: Delivery;
      /** Runs the handler, then commits the claim; if the handler throws, releases it and throws on. */
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
      // A renewal that fails may be followed by one that does not; if none does, the claim lapses.
      const renew = () => void store?.renew?.(key, token).catch(() => {});
      const renewing = store?.renew && setInterval(renew, (store.renewEverySeconds ?? 60) * 1000);
      try {
        await handler(delivery);
      } catch (error) {
        try {
          await store?.release(key, token);
        } catch {
          // The claim will lapse; the handler's own error is the one to tell.
        }
        throw error;
      } finally {
        clearInterval(renewing);
      }
      await store?.commit(key, token);
    },
  };
}
