import type { Notices, Pool } from "@querybell/db";
import type { Clock } from "@querybell/domain";
import type { Guard } from "@querybell/guard";
import { advanceRecoveries } from "../deliveries/recoveries.ts";
import { holdAllPendingDeliveries } from "../deliveries/stop-deliveries.ts";
import { endExpiredSubscriptions } from "../deliveries/subscriptions.ts";
import { dueChannel, wakeUpChannel } from "../deliveries/wake-pumps.ts";
import type { Unsealer } from "../secrets.ts";
import type { Messenger } from "../send/messenger.ts";
import type { Sender } from "../send/sender.ts";
import type { LaneName } from "./lanes.ts";
import { listPendingEndpoints } from "./lease-keeper.ts";
import { renewLease } from "./leases.ts";
import { createMutex, startSession } from "./session.ts";

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
  /** Sends to destinations. Without one, attempts to send there fail. */
  messenger?: Messenger;
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

/** Delivers what is due. Any number of pumps can run on one database. */
export interface Pump {
  /** Resolves when nothing is due and every outcome is recorded. */
  drain(): Promise<void>;
  /** Finishes attempts in flight, records them, and releases everything. */
  stop(): Promise<void>;
  stats(): PumpStats;
}

/** A twelfth of a lease. Also the delay of work whose wake-up is lost, and the step of a recovery. */
const defaultSweepEveryMs = 1_000;
/** How long a sweep acquires endpoints. The next one continues: every sweep renews the lease. */
const maxAcquiringMs = 1_000;

export async function startPump(options: PumpOptions): Promise<Pump> {
  const { pool, notices, onError, sweepEveryMs = defaultSweepEveryMs } = options;
  const runExclusive = createMutex();
  let isStopping = false;
  let session = await startSession(options, restart);

  /** The lease is lost and other pumps may be sending already: drops everything and starts a new session. */
  function restart(pumpId: string): void {
    if (session.pumpId !== pumpId || session.hasEnded || isStopping) return;
    session.abandon();
    onError(new Error(`The webhook pump ${pumpId} lost its lease. It starts again under a new one.`));
    runExclusive(ensureSession).catch(onError);
  }

  /** Rejects while the database cannot be reached; every sweep tries again. */
  async function ensureSession(): Promise<void> {
    if (session.hasEnded && !isStopping) session = await startSession(options, restart);
  }

  /** Renews the lease and finds the work that no wake-up announced. Returns how much it found. */
  async function sweep(): Promise<number> {
    await ensureSession();
    const current = session;
    if (!(await renewLease(pool, current.pumpId))) {
      restart(current.pumpId);
      return 1;
    }
    const expired = await endExpiredSubscriptions(pool);
    await current.refreshSettings();
    const recoverySteps = await advanceRecoveries(pool);
    const pending = await listPendingEndpoints(pool);
    const inactive = pending.filter(({ isActive }) => !isActive).map(({ id }) => id);
    const held = inactive.length > 0 ? await holdAllPendingDeliveries(pool, inactive) : 0;
    const free = new Set(pending.filter(({ canBeAcquired }) => canBeAcquired).map(({ id }) => id));
    const acquired = await acquireInSlices(free, performance.now() + maxAcquiringMs);
    return expired + recoverySteps + held + acquired;
  }

  /** Removes the ids from the set, a few at a time, and acquires their endpoints. Returns how many it acquired. */
  async function acquireInSlices(endpointIds: Set<string>, until = Infinity): Promise<number> {
    let acquired = 0;
    while (endpointIds.size > 0 && !isStopping && performance.now() < until) {
      const slice = session.chooseNext(endpointIds);
      for (const id of slice) endpointIds.delete(id);
      acquired += await session.acquireEndpoints(slice);
    }
    return acquired;
  }

  const wokenIds = new Set<string>();
  const unsubscribe = notices.subscribe(wakeUpChannel, (endpointId) => {
    // Without an id: the connection was lost, and wake-ups may have been missed. The sweep finds their endpoints.
    if (!endpointId) return void runExclusive(sweep).catch(onError);
    wokenIds.add(endpointId);
    acquireWoken().catch(onError);
  });

  const unsubscribeFromDue = notices.subscribe(dueChannel, (endpointId) => {
    if (endpointId) session.announceDue(endpointId);
  });

  let isAcquiring = false;
  /** Wake-ups that arrive meanwhile are handled too. */
  async function acquireWoken(): Promise<void> {
    if (isAcquiring) return;
    isAcquiring = true;
    try {
      await acquireInSlices(wokenIds);
    } finally {
      isAcquiring = false;
    }
  }

  let isSweeping = false;
  const sweepTimer = setInterval(() => {
    if (isSweeping) return;
    isSweeping = true;
    runExclusive(sweep)
      .catch(onError)
      .finally(() => {
        isSweeping = false;
      });
  }, sweepEveryMs);

  return {
    async drain() {
      for (;;) {
        const current = session;
        current.dispatcher.retryRateLimited();
        await current.dispatcher.whenIdle();
        const claimedBefore = current.claimedCount;
        const found = await runExclusive(sweep);
        await current.claim();
        if (found === 0 && current.claimedCount === claimedBefore && session === current) return;
      }
    },
    async stop() {
      isStopping = true;
      clearInterval(sweepTimer);
      unsubscribe();
      unsubscribeFromDue();
      // A sweep may be starting a new session.
      await runExclusive(async () => {});
      // Attempts in flight may take longer than a lease.
      const renewing = setInterval(() => void renewLease(pool, session.pumpId).catch(onError), sweepEveryMs);
      await session.close();
      clearInterval(renewing);
    },
    stats: () => session.dispatcher.stats(),
  };
}
