import type { Notices } from "@querybell/db";
import type { Clock } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import type { Sender } from "../send/sender.ts";
import type { LaneName } from "./lanes.ts";
import type { Pool } from "./pool.ts";
import type { Unsealer } from "./sealed.ts";

/** Told of every attempt, for metrics. */
export interface PumpObserver {
  attempted(attempt: {
    /** The outcome's short name. */
    outcome: string;
    lane: LaneName;
    totalMs: number;
    /** From the transaction that emitted the event to this attempt's start, for a delivery's first. */
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
  /** The chance behind the jitter of retries, from 0 to 1. */
  random?: () => number;
  /** Most attempts in flight, for each lane. */
  slots?: Record<LaneName, number>;
  /** How often the pump renews its lease and looks for what no wake-up told it of. */
  sweepEveryMs?: number;
}

export interface PumpStats {
  /** Endpoints held, deliveries claimed and not started, attempts ended and not written down. */
  endpoints: number;
  buffered: number;
  unrecorded: number;
  inFlight: Record<LaneName, number>;
}
