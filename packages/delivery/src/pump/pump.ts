import { renewLease } from "./leases.ts";
import type { PumpOptions, PumpStats } from "./options.ts";
import { advanceRecoveries } from "./recoveries.ts";
import { type Session, startSession } from "./session.ts";
import { findPendingEndpoints, settleBatch, settleInactiveEndpoints } from "./sweep.ts";
import { createTurns } from "./turn-taking.ts";
import { listenForWakeUps, wakeUpChannel } from "./wake-ups.ts";

/** Delivers what is due, beside any number of others on the same database. */
export interface Pump {
  /** Works until nothing is due and everything is written down. */
  drain(): Promise<void>;
  /** Finishes what is in flight, gives back the rest, and lets go of everything. */
  stop(): Promise<void>;
  stats(): PumpStats;
}

const defaultSweepEveryMs = 1_000;

export async function startPump(options: PumpOptions): Promise<Pump> {
  const { pool, onError, sweepEveryMs = defaultSweepEveryMs } = options;
  const inTurn = createTurns();
  let stopping = false;
  let session = await startSession(options, restart);
  let noticed = new Set<string>();

  /** The lease is lost: others may be sending already. Forget everything and begin anew. */
  function restart(pumpId: string): void {
    if (session.pumpId !== pumpId || session.ended || stopping) return;
    session.abandon();
    onError(new Error(`The webhook pump ${pumpId} lost its lease and begins anew.`));
    inTurn(async () => {
      session = await startSession(options, restart);
    }).catch(onError);
  }

  /** Renews the lease and looks for everything that no wake-up told of. Returns how much there was to do. */
  async function sweep(current: Session): Promise<number> {
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

  const wakeUps = listenForWakeUps({
    pool,
    channel: wakeUpChannel,
    onWakeUp(endpointId) {
      noticed.add(endpointId);
      if (noticed.size === 1) queueMicrotask(attendNoticed);
    },
    onListening: () => void inTurn(() => sweep(session)).catch(onError),
    onError,
  });

  function attendNoticed(): void {
    const endpointIds = [...noticed];
    noticed = new Set();
    if (!stopping) session.attend(endpointIds).catch(onError);
  }

  let sweeping = false;
  const timer = setInterval(() => {
    if (sweeping) return;
    sweeping = true;
    inTurn(() => sweep(session))
      .catch(onError)
      .finally(() => {
        sweeping = false;
      });
  }, sweepEveryMs);
  await wakeUps.listening;

  return {
    async drain() {
      for (;;) {
        const current = session;
        current.dispatcher.resume();
        await current.dispatcher.quiet();
        const before = current.claimed;
        const swept = await inTurn(() => sweep(current));
        await current.claim();
        if (swept === 0 && current.claimed === before && session === current) return;
      }
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      // What is in flight may take longer than a lease.
      const renewing = setInterval(() => void renewLease(pool, session.pumpId).catch(onError), sweepEveryMs);
      await session.close();
      clearInterval(renewing);
      await wakeUps.stop();
      await inTurn(async () => {});
    },
    stats: () => {
      const { endpoints, buffered, unrecorded, inFlight } = session.dispatcher;
      return { endpoints, buffered, unrecorded, inFlight };
    },
  };
}
