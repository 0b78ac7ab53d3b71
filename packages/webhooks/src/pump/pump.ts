import { advanceRecoveries } from "../deliveries/advance-recoveries.ts";
import { holdAllPendingDeliveries } from "../deliveries/hold-pending-deliveries.ts";
import { listPendingEndpoints } from "../deliveries/pending-endpoints.ts";
import { dueChannel, wakeUpChannel } from "../deliveries/wake-pumps.ts";
import { renewLease } from "./leases.ts";
import { createMutex } from "./mutex.ts";
import type { PumpOptions, PumpStats } from "./options.ts";
import { startSession } from "./session.ts";

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
/** The most woken endpoints that are acquired at once: sending for the first starts before the last is acquired. */
const maxAcquiredAtOnce = 100;

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
    await current.refreshSettings();
    const recoverySteps = await advanceRecoveries(pool);
    const pending = await listPendingEndpoints(pool);
    const inactive = pending.filter(({ isActive }) => !isActive).map(({ id }) => id);
    const held = inactive.length > 0 ? await holdAllPendingDeliveries(pool, inactive) : 0;
    const free = pending.filter(({ canBeAcquired }) => canBeAcquired).map(({ id }) => id);
    const acquired = free.length > 0 ? await current.acquireEndpoints(free) : 0;
    return recoverySteps + held + acquired;
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
  /** While it awaits the database, further wake-ups collect and are handled together. */
  async function acquireWoken(): Promise<void> {
    if (isAcquiring) return;
    isAcquiring = true;
    try {
      while (wokenIds.size > 0 && !isStopping) {
        const endpointIds = [...wokenIds].slice(0, maxAcquiredAtOnce);
        for (const id of endpointIds) wokenIds.delete(id);
        await session.acquireEndpoints(endpointIds);
      }
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
    stats: () => {
      const { endpoints, buffered, unrecorded, inFlight } = session.dispatcher;
      return { endpoints, buffered, unrecorded, inFlight };
    },
  };
}
