// pnpm bench history: a year of hourly results of 10,000 rows of which 1 % change, stored and opened; two results of
// 1,000,000 rows compared; 1,000 runs that tell changed rows while their workers are killed. history --results 500 stores
// fewer, history --only rows --runs 100 does only the last, with fewer runs.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { keepResults } from "@querybell/core/past-results";
import { createQuery } from "@querybell/core/queries";
import { readResult } from "@querybell/core/results";
import { z } from "zod";
import { createOwnDatabase } from "./automations/create-automation.ts";
import { checkChangedRows } from "./history/changed-rows.ts";
import { ChangingTable } from "./history/changing-table.ts";
import { percentile, printFigures } from "./measuring/measuring.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    results: { type: "string", default: "8760" },
    runs: { type: "string", default: "1000" },
    only: { type: "string" },
  },
});
const Compared = z.object({
  seconds: z.number(),
  mebibytes: z.number(),
  added: z.int(),
  removed: z.int(),
  changed: z.int(),
});
const resultCount = Number(options.results);
const hourMs = 60 * 60 * 1000;
const opened = 300;
const batch = 64;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const { deps, settings } = installation;
  const told = await checkChangedRows(installation, { cleanup, runs: Number(options.runs) });
  console.log(
    `${options.runs} runs, ${told.kills} kills, ${told.changes} changes in ${told.events} events: ${told.rowsWrong} wrong`,
  );
  if (options.only === "rows") return printFigures("history", { rows_wrong: String(told.rowsWrong) });
  const owner = await installation.addOwner();
  const analyticalDatabaseConfigId = await createOwnDatabase(deps, owner, settings.DATABASE_URL);
  const { id: queryId } = await createQuery(deps, owner, {
    sql: "SELECT 1 AS a",
    analyticalDatabaseConfigId,
  });
  const table = new ChangingTable({ rows: 10_000, changed: 100 });
  const start = Date.now() - resultCount * hourMs;
  const runIds: string[] = [];
  let todayBytes = 0;
  for (let done = 0; done < resultCount; ) {
    for (let added = 0; added < batch && done < resultCount; added++, done++) {
      const json = table.next();
      // As result-writer.ts writes them.
      const gzipped = gzipSync(json, { level: 4 });
      todayBytes += gzipped.length;
      const runId = randomUUID();
      runIds.push(runId);
      await insertResult({ runId, completedAt: new Date(start + done * hourMs), json, gzipped });
    }
    await keepResults(deps);
    if (done % (batch * 16) === 0) console.error(`${done} of ${resultCount} results are stored.`);
  }
  const { _sum } = await deps.db.prisma.pastResultChain.aggregate({
    where: { queryId },
    _sum: { byteCount: true },
  });

  const times: number[] = [];
  let wrong = 0;
  const wanted = new Map<number, string>();
  for (let at = 0; at < opened; at++) wanted.set(Math.floor((at * 7919) % resultCount), "");
  const again = new ChangingTable({ rows: 10_000, changed: 100 });
  for (let at = 0; at < resultCount; at++) {
    const json = again.next();
    if (wanted.has(at)) wanted.set(at, json);
  }
  for (const [at, json] of wanted) {
    const began = performance.now();
    const { whole } = await readResult(deps, owner, { runId: runIds[at] ?? "" });
    times.push(performance.now() - began);
    if (gunzipSync(whole ?? "").toString() !== json) wrong++;
  }
  const diff = await measureComparison();
  printFigures("history", {
    size_ratio: (Number(_sum.byteCount ?? 0) / todayBytes).toFixed(4),
    open_p95_ms: percentile(times, 95).toFixed(0),
    diff_s: diff.seconds.toFixed(2),
    diff_mib: diff.mebibytes.toFixed(0),
    rows_wrong: String(wrong + diff.rowsWrong + told.rowsWrong),
    results: String(resultCount),
  });

  interface AddedResult {
    runId: string;
    completedAt: Date;
    json: string;
    gzipped: Buffer;
  }

  async function insertResult({ runId, completedAt, json, gzipped }: AddedResult): Promise<void> {
    const { pool } = deps.db;
    const { organizationId } = owner;
    await pool.query(
      `INSERT INTO query_runs (id, organization_id, query_id, status, trigger_id, parameter_values, parameter_types,
         parameter_values_hash, rendered_sql, created_at)
       VALUES ($1, $2, $3, 'pending', 'bench', '{}', '{}', '\\x01', '', $4)`,
      [runId, organizationId, queryId, completedAt],
    );
    await pool.query(
      `UPDATE query_runs SET status = 'running', started_at = $2, lease_worker = 'bench', lease_until = $2 WHERE id = $1`,
      [runId, completedAt],
    );
    await pool.query(`UPDATE query_runs SET status = 'completed', completed_at = $2 WHERE id = $1`, [
      runId,
      completedAt,
    ]);
    await pool.query(
      `INSERT INTO past_results (run_id, organization_id, query_id, parameter_values_hash, completed_at, json_bytes,
         row_count, etag, bytes) VALUES ($1, $2, $3, '\\x01', $4, $5, 10000, '', $6)`,
      [runId, organizationId, queryId, completedAt, Buffer.byteLength(json), gzipped],
    );
  }
});

/** Two results of 1,000,000 rows of which 10,000 differ, in a process like an engine host. */
async function measureComparison() {
  const rows = 1_000_000;
  const folder = await mkdtemp(join(tmpdir(), "querybell-history-"));
  try {
    const table = new ChangingTable({ rows, changed: 0 });
    const [before, after] = [table.next(), table.change(10_000)];
    const files = [join(folder, "before.gz"), join(folder, "after.gz")];
    await writeFile(files[0] ?? "", gzipSync(before, { level: 4 }));
    await writeFile(files[1] ?? "", gzipSync(after, { level: 4 }));
    const sizes = [before, after].map((json) => String(Buffer.byteLength(json)));
    const child = fileURLToPath(new URL("./history/compare-child.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [child, ...files, String(rows), ...sizes]);
    const found = Compared.parse(JSON.parse(stdout));
    const rowsWrong = Math.abs(found.changed - 10_000) + found.added + found.removed;
    return { ...found, rowsWrong };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
