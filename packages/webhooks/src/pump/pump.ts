import { renewLease } from "./leases.ts";
import type { PumpOptions, PumpStats } from "./options.ts";
import { advanceRecoveries } from "./recoveries.ts";
import { startSession } from "./session.ts";
import { findPendingEndpoints, settleBatch, settleInactiveEndpoints } from "./sweep.ts";
import { createTurns } from "./turn-taking.ts";
import { wakeUpChannel } from "./wake-ups.ts";

/** Delivers what is due, beside any number of others on the same database. */
export interface Pump {
  /** Works until nothing is due and everything is written down. */
  drain(): Promise<void>;
  /** Finishes what is in flight, gives back the rest, and lets go of everything. */
  stop(): Promise<void>;
  stats(): PumpStats;
}

const defaultSweepEveryMs = 1_000;
const attendAtOnce = 100;

export async function startPump(options: PumpOptions): Promise<Pump> {
  const { pool, notices, onError, sweepEveryMs = defaultSweepEveryMs } = options;
  const inTurn = createTurns();
  let stopping = false;
  let session = await startSession(options, restart);
  const noticed = new Set<string>();

  /** The lease is lost: others may be sending already. Forget everything and begin anew. */
  function restart(pumpId: string): void {
    if (session.pumpId !== pumpId || session.ended || stopping) return;
    session.abandon();
    onError(new Error(`The webhook pump ${pumpId} lost its lease and begins anew.`));
    inTurn(beginAnew).catch(onError);
  }

  /** Fails while the database cannot be reached; every sweep tries again. */
  async function beginAnew(): Promise<void> {
    if (session.ended && !stopping) session = await startSession(options, restart);
  }

  /** Renews the lease and looks for everything that no wake-up told of. Returns how much there was to do. */
  async function sweep(): Promise<number> {
    await beginAnew();
    const current = session;
    if (!(await renewLease(pool, current.pumpId))) {
      restart(current.pumpId);
      return 1;
    }
    await current.refresh();
    const recovered = await advanceRecoveries(pool);
    const pending = await findPendingEndpoints(pool);
    const inactive = pending.filter(({ active }) => !active).map(({ id }) => id);
    const settled = inactive.length > 0 ? await settle(inactive) : 0;
    const unattended = pending.filter((endpoint) => endpoint.unattended).map(({ id }) => id);
    const taken = unattended.length > 0 ? await current.attend(unattended) : 0;
    return recovered + settled + taken;
  }

  async function settle(endpointIds: string[]): Promise<number> {
    let settled = 0;
    for (let batch = settleBatch; batch === settleBatch; settled += batch) {
      batch = await settleInactiveEndpoints(pool, endpointIds);
    }
    return settled;
  }

  const unsubscribe = notices.subscribe(wakeUpChannel, (endpointId) => {
    // Some may have been missed: the sweep finds their endpoints.
    if (!endpointId) return void inTurn(sweep).catch(onError);
    noticed.add(endpointId);
    attendNoticed().catch(onError);
  });

  let attending = false;
  /** While some are attended to, others gather. Not too many at once: sending begins after the first. */
  async function attendNoticed(): Promise<void> {
    if (attending) return;
    attending = true;
    try {
      while (noticed.size > 0 && !stopping) {
        const endpointIds = [...noticed].slice(0, attendAtOnce);
        for (const id of endpointIds) noticed.delete(id);
        await session.attend(endpointIds);
      }
    } finally {
      attending = false;
    }
  }

  let sweeping = false;
  const timer = setInterval(() => {
    if (sweeping) return;
    sweeping = true;
    inTurn(sweep)
      .catch(onError)
      .finally(() => {
        sweeping = false;
      });
  }, sweepEveryMs);

  return {
    async drain() {
      for (;;) {
        const current = session;
        current.dispatcher.resume();
        await current.dispatcher.quiet();
        const before = current.claimed;
        const swept = await inTurn(sweep);
        await current.claim();
        if (swept === 0 && current.claimed === before && session === current) return;
      }
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      unsubscribe();
      // A sweep may be beginning anew.
      await inTurn(async () => {});
      // What is in flight may take longer than a lease.
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
