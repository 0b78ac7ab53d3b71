import { type EventEmitter, on, once } from "node:events";
import { createInvitation } from "@querybell/core/invitations";
import { readQueueState, recordHeartbeats, releaseJobsOfDeadWorkers } from "@querybell/core/jobs";
import { addJob, type Database } from "@querybell/db";
import { newId } from "@querybell/domain";
import { pino } from "pino";
import { describe, expect, onTestFinished, vi } from "vitest";
import { startMailServer } from "./testing/mail-server.ts";
import { workerTest } from "./testing/worker-test.ts";
import { startWorker } from "./worker.ts";

const logger = pino({ level: "silent" });

/** From now on; the clock adds jobs of other tasks too. */
async function untilSuccess({ events }: { events: EventEmitter }, task: string): Promise<void> {
  for await (const [{ job }] of on(events, "job:success")) if (job.task_identifier === task) return;
}

const emptyQueue = ({ db }: { db: Database }) =>
  db.pool.query("SELECT graphile_worker.complete_jobs(array_agg(id)) FROM graphile_worker.jobs");

describe("a job", () => {
  workerTest("exists exactly if the transaction that adds it commits", async ({ deps }) => {
    const add = (fail: boolean) =>
      deps.db.transaction(async (tx) => {
        await addJob(tx, ["purge_expired_identity", {}], { runAt: new Date(Date.now() + 3_600_000) });
        if (fail) throw new Error("changed my mind");
      });
    await expect(add(true)).rejects.toThrow("changed my mind");
    expect(await readQueueState(deps)).toMatchObject({ scheduled: 0 });
    await add(false);
    expect(await readQueueState(deps)).toMatchObject({ scheduled: 1 });
    await emptyQueue(deps);
  });

  workerTest("whose payload is wrong is refused when it is added", async ({ deps }) => {
    const wrong = { sealed: 42 } as never;
    await expect(deps.db.transaction((tx) => addJob(tx, ["send_mail", wrong]))).rejects.toThrow(/sealed/);
    expect(await readQueueState(deps)).toMatchObject({ due: 0 });
  });

  workerTest("whose stored payload is wrong fails with the reason", async ({ deps, settingsFor }) => {
    const worker = await startWorker({ deps, logger, settings: settingsFor() });
    const failed = once(worker.events, "job:failed");
    await deps.db.pool.query(
      `SELECT graphile_worker.add_job('send_mail', '{"sealed":42}', max_attempts => 1)`,
    );
    await failed;
    // The event comes before the reason is written; a worker that has stopped has written everything.
    await worker.stop();
    const { rows } = await deps.db.pool.query(
      "SELECT last_error FROM graphile_worker.jobs WHERE task_identifier = 'send_mail'",
    );
    expect(rows).toEqual([{ last_error: expect.stringContaining("sealed") }]);
    expect(await readQueueState(deps)).toMatchObject({ failed: 1 });
    await emptyQueue(deps);
  });
});

describe("the worker", () => {
  workerTest("mails an invitation's link", async ({ deps, make, settingsFor }) => {
    await using mailServer = await startMailServer();
    const owner = await make.owner();
    const { link } = await createInvitation(deps, owner, { email: "new@example.test", role: "member" });
    expect(link.mailed).toBe(true);
    const queued = await deps.db.pool.query("SELECT payload::text FROM graphile_worker._private_jobs");

    const worker = await startWorker({ deps, logger, settings: settingsFor({ SMTP_URL: mailServer.url }) });
    onTestFinished(() => worker.stop());
    const mail = await mailServer.nextMail();
    expect(mail).toContain("To: new@example.test");
    const [url = "", token = ""] = /http:\S+#(\S+)/.exec(mail.replace(/=\n/g, "").replace(/=3D/g, "=")) ?? [];
    const { pathname, origin } = new URL(link.url);
    expect(url).toBe(`${origin}${pathname}#${token}`);
    expect(JSON.stringify(queued.rows)).not.toContain(token);
    // The token is only in the mail, so having it proves the address.
    expect(link.url).not.toContain(token);
  });

  workerTest.for([
    "purge_expired_identity",
    "purge_expired_results",
    "purge_history",
    "purge_row_versions",
  ] as const)("does the housekeeping of %s", async (name, { deps, settingsFor }) => {
    const worker = await startWorker({ deps, logger, settings: settingsFor() });
    onTestFinished(() => worker.stop());
    const done = untilSuccess(worker, name);
    await deps.db.transaction((tx) => addJob(tx, [name, {}]));
    await done;
  });

  workerTest("answers its health, readiness and metrics", async ({ deps, settingsFor }) => {
    const token = "a token of sixteen characters or more";
    const worker = await startWorker({ deps, logger, settings: settingsFor({ METRICS_TOKEN: token }) });
    onTestFinished(() => worker.stop());
    const get = (path: string, headers = {}) => fetch(`${worker.statusUrl}${path}`, { headers });
    expect((await get("/healthz")).status).toBe(200);
    expect(await (await get("/readyz")).json()).toEqual({ ready: true });
    expect((await get("/metrics")).status).toBe(404);
    const metrics = await (await get("/metrics", { authorization: `Bearer ${token}` })).text();
    expect(metrics).toMatch(/querybell_jobs\{state="due"\} \d/);
    expect(metrics).toMatch(/querybell_oldest_due_job_seconds \d/);
    expect(metrics).toContain(`querybell_engine_isolation{way="${(await deps.engines.isolation()).name}"} 1`);
    expect(metrics).toMatch(/querybell_event_loop_delay_seconds_bucket\{le="0\.2"\} \d/);
  });

  workerTest("keeps a long job, and no other worker gets it", async ({ deps, make, settingsFor }) => {
    await emptyQueue(deps);
    const mailServer = await startMailServer();
    mailServer.pause();
    const heartbeat = { beatEveryMs: 50, silentForSeconds: 3600 };
    const settings = settingsFor({ SMTP_URL: mailServer.url });
    const worker = await startWorker({ deps, logger, settings, heartbeat });
    onTestFinished(async () => {
      await worker.stop();
      await mailServer[Symbol.asyncDispose]();
    });
    const owner = await make.owner();
    await createInvitation(deps, owner, { email: "late@example.test", role: "member" });
    await mailServer.connected;
    const { rows } = await deps.db.pool.query(
      `UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 hour'
         WHERE locked_at IS NOT NULL RETURNING locked_by`,
    );
    const [job] = rows;
    await vi.waitUntil(
      async () =>
        (await deps.db.pool.query("SELECT FROM worker_heartbeats WHERE worker_id = $1", [job.locked_by])).rows
          .length > 0,
      { timeout: 60_000 },
    );
    expect(await releaseJobsOfDeadWorkers(deps, { silentForSeconds: 60 })).toEqual([]);
    mailServer.resume();
    expect(await mailServer.nextMail()).toContain("To: late@example.test");
  });

  workerTest("gives back the jobs of a worker that fell silent, and only those", async ({ deps }) => {
    await emptyQueue(deps);
    const [dead, alive] = [`worker-${newId(deps.clock)}`, `worker-${newId(deps.clock)}`];
    await recordHeartbeats(deps, [dead, alive]);
    await deps.db.pool.query(
      "UPDATE worker_heartbeats SET seen_at = now() - interval '1 minute' WHERE worker_id = $1",
      [dead],
    );
    for (const id of [dead, alive]) {
      const { rows } = await deps.db.pool.query(
        "SELECT id FROM graphile_worker.add_job('purge_expired_identity', '{}')",
      );
      await deps.db.pool.query(
        "UPDATE graphile_worker._private_jobs SET locked_by = $1, locked_at = now() - interval '1 minute' WHERE id = $2",
        [id, rows[0].id],
      );
    }
    expect(await releaseJobsOfDeadWorkers(deps, { silentForSeconds: 20 })).toEqual([dead]);
    expect(await readQueueState(deps)).toMatchObject({ due: 1, running: 1 });
    await deps.db.pool.query("SELECT graphile_worker.force_unlock_workers($1)", [[alive]]);
  });
});
