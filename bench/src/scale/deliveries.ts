import { allRecorded, commitBacklog } from "../webhooks/backlog.ts";
import { type Child, startChild, workerEntry } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";
import type { ReceiverProcess } from "../webhooks/receiver-messages.ts";

interface Setup {
  installation: Installation;
  receiver: ReceiverProcess;
  cleanup: AsyncDisposableStack;
  workerCounts: number[];
  events: number;
}

export interface MeasuredDeliveries {
  workers: number;
  perSecond: number;
  /** How much of the processor time of all workers each of them took. */
  shares: number[];
  /** Processor time of the workers for a delivery. */
  cpuMs: number;
  /** Time in statements of the workers for a delivery. */
  databaseMs: number;
}

const endpoints = 400;

/** Drains a backlog for endpoints that answer after 50 ms, with so many workers. */
export async function measureDeliveries({
  installation,
  receiver,
  cleanup,
  workerCounts,
  events,
}: Setup): Promise<MeasuredDeliveries[]> {
  const { deps, environment, addEndpoints } = installation;
  const urls = Array.from({ length: endpoints }, (_, index) => `${receiver.url}/slow/${index}`);
  const organizationIds = (await addEndpoints(urls)).map(({ organizationId }) => organizationId);
  let emitted = 0;
  const deliver = async (count: number) => {
    await receiver.take();
    await commitBacklog(deps, { organizationIds, first: emitted, count });
    emitted += count;
    await deps.db.pool.query("SELECT pg_stat_statements_reset()");
    const startedAt = performance.now();
    await receiver.arrived(count);
    await allRecorded(deps);
    return (performance.now() - startedAt) / 1000;
  };

  const measured: MeasuredDeliveries[] = [];
  for (const workers of workerCounts) {
    const children: Child[] = [];
    for (let started = 0; started < workers; started++) {
      const child = await startChild(workerEntry, environment);
      cleanup.defer(child.kill);
      children.push(child);
    }
    // Warms up, and brings every endpoint into the healthy lane.
    await deliver(events / 4);
    await deps.db.pool.query("CHECKPOINT");
    const before = children.map((child) => child.cpuMs());
    const seconds = await deliver(events);
    const { rows } = await deps.db.pool.query<{ ms: number }>(
      "SELECT sum(total_exec_time) AS ms FROM pg_stat_statements",
    );
    const spent = children.map((child, index) => child.cpuMs() - (before[index] ?? Number.NaN));
    const total = spent.reduce((sum, each) => sum + each, 0);
    measured.push({
      workers,
      perSecond: events / seconds,
      shares: spent.map((each) => each / total),
      cpuMs: total / events,
      databaseMs: (rows[0]?.ms ?? Number.NaN) / events,
    });
    await Promise.all(children.map((child) => child.stop()));
  }
  return measured;
}
