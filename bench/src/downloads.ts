// pnpm bench downloads: the memory of the api while a result of 1,000,000 rows is downloaded in each format: so many
// times in a row, then twice at once. It must not grow from one download to the next.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createDatabase } from "@querybell/core/databases";
import { createKey } from "@querybell/core/keys";
import { createQuery } from "@querybell/core/queries";
import { runQuery } from "@querybell/core/runs";
import { CreateDatabase } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { toPostgresConnection } from "@querybell/testkit/postgres-connection";
import { request } from "undici";
import { apiEntry, startChild, workerEntry } from "./webhooks/child.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rows: { type: "string", default: "1000000" },
    times: { type: "string", default: "5" },
    formats: { type: "string", default: "parquet,csv,json" },
  },
});
const rows = Number(flags.rows);
const formats = flags.formats.split(",");
const inARow = Number(flags.times);
const mebibyte = 1024 ** 2;
const sampleEveryMs = 50;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const { deps, settings, environment } = installation;
  const owner = await installation.addOwner();
  const { key } = await createKey(deps, owner, { name: "Bench", scopes: ["queries:read"] });
  const limits = { rows, bytes: 256 * mebibyte };
  const connection = toPostgresConnection(settings.DATABASE_URL);
  const database = await createDatabase(
    deps,
    owner,
    CreateDatabase.parse({ name: "Own", connection, limits }),
  );
  const sql = `
    SELECT n AS id, md5(n::text) AS name, (n * 1.37)::numeric(12, 2) AS amount, n % 7 = 0 AS flag,
      timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second' AS at, (n % 10)::text AS category
    FROM generate_series(1, ${rows}) n`;
  const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId: database.id });
  const worker = await startChild(workerEntry, { ...environment, ANALYTICS_NETWORKS: "127.0.0.0/8" });
  cleanup.defer(worker.kill);
  const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
  for (let status = ""; status !== "completed"; await delay(100)) {
    ({ status } = await deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id: run.id } }));
    if (status === "failed") throw new Error("The query failed.");
  }
  await worker.stop();

  for (const format of formats) {
    // A process for each, so that one does not inherit the memory of another.
    const port = await freePort();
    const api = await startChild(apiEntry, { ...environment, PORT: String(port) });
    cleanup.defer(api.kill);
    const url = `http://127.0.0.1:${port}`;
    const download = async () => {
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode, body } = await request(`${url}/api/runs/${run.id}/result.${format}`, { headers });
      if (statusCode !== 200) throw new Error(`The api answered ${statusCode}: ${await body.text()}`);
      let bytes = 0;
      for await (const piece of body) bytes += piece.length;
      return bytes;
    };
    const heap = async () => {
      const { body } = await request(`${url}/metrics`);
      const [, used = ""] = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(await body.text()) ?? [];
      return Math.round(Number(used) / mebibyte);
    };
    const before = residentMebibytes(api.pid);
    const after: number[] = [];
    const heaps: number[] = [];
    const measure = async (atOnce: number) => {
      const startedAt = performance.now();
      const cpuBefore = api.cpuMs();
      const { value, highest } = await highestDuring(api.pid, () =>
        Promise.all(Array.from({ length: atOnce }, download)),
      );
      after.push(residentMebibytes(api.pid));
      heaps.push(await heap());
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const cpuSeconds = ((api.cpuMs() - cpuBefore) / 1000).toFixed(1);
      console.log(
        `${format}, ${atOnce} at once: ${((value[0] ?? 0) / 1e6).toFixed(1)} MB each, ${seconds} s, ${cpuSeconds} s of processor; resident ${highest} MiB at most, ${after.at(-1)} after it; heap ${heaps.at(-1)} MiB`,
      );
      return highest;
    };
    let highest = 0;
    for (let time = 0; time < inARow; time++) highest = Math.max(highest, await measure(1));
    const twoAtOnce = await measure(2);
    console.log(
      `downloads rows=${rows} format=${format} before_mib=${before} after_mib=${after.join("/")} highest_mib=${highest} two_at_once_mib=${twoAtOnce} heap_mib=${heaps.join("/")}`,
    );
    await api.stop();
  }
});

function residentMebibytes(pid: number): number {
  const [, kibibytes = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kibibytes) / 1024);
}

async function highestDuring<T>(pid: number, work: () => Promise<T>): Promise<{ value: T; highest: number }> {
  let [highest, isOver] = [0, false];
  const sampling = (async () => {
    for (; !isOver; await delay(sampleEveryMs)) highest = Math.max(highest, residentMebibytes(pid));
  })();
  const value = await work();
  isOver = true;
  await sampling;
  return { value, highest };
}
