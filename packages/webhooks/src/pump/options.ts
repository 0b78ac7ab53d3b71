import type { Notices, Pool } from "@querybell/db";
import type { Clock } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import type { Unsealer } from "../secrets.ts";
import type { Sender } from "../send/sender.ts";
import type { LaneName } from "./lanes.ts";

/** For metrics. */
export interface PumpObserver {
  onAttempt(attempt: {
    /** The outcome's short name. */
    outcome: string;
    lane: LaneName;
    totalMs: number;
    /** From the transaction that emitted the event to the start of its first attempt; undefined for later attempts. */
    latencyMs: number | undefined;
  }): void;
}

export interface PumpOptions {
  pool: Pool;
  notices: Notices;
  clock: Clock;
  guard: Guard;
  sender: Sender;
  sealer: Unsealer;
  onError: (error: unknown) => void;
  observer?: PumpObserver;
  /** Numbers from 0 to 1 for the jitter of retries; Math.random. */
  random?: () => number;
  /** The most attempts in flight in each lane. */
  slots?: Record<LaneName, number>;
  /** How often the pump renews its lease and looks for work that no wake-up announced. */
  sweepEveryMs?: number;
}

export interface PumpStats {
  /** Endpoints whose lease the pump holds. */
  endpoints: number;
  /** Deliveries that are claimed and not started. */
  buffered: number;
  /** Attempts that have ended and are not recorded. */
  unrecorded: number;
  /** Attempts in flight. */
  inFlight: Record<LaneName, number>;
}
