// pnpm bench results: a cached result of 10,000 rows over REST, over a bare Fastify route that sends a file with the
// same bytes.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createKey } from "@querybell/core/keys";
import { createQuery } from "@querybell/core/queries";
import { runQuery } from "@querybell/core/runs";
import { createOwnDatabase } from "./automations/create-automation.ts";
import { printFigures } from "./measuring/measuring.ts";
import { compareGets } from "./requests/get-load.ts";
import { startBoth } from "./requests/start-both.ts";
import { startChild, workerEntry } from "./webhooks/child.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const rows = 10_000;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const { deps, settings, environment } = installation;
  const folder = await mkdtemp(join(tmpdir(), "querybell-results-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const owner = await installation.addOwner();
  await deps.db.prisma.organization.update({
    where: { id: owner.organizationId },
    data: { restCompatibility: "live" },
  });
  const { key } = await createKey(deps, owner, { name: "Bench", scopes: ["queries:read"] });
  const sql = `SELECT n AS id, md5(n::text) AS name, n * 1.5 AS amount, now() AS at FROM generate_series(1, ${rows}) n`;
  const analyticalDatabaseConfigId = await createOwnDatabase(deps, owner, settings.DATABASE_URL);
  const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
  const worker = await startChild(workerEntry, { ...environment, ANALYTICS_NETWORKS: "127.0.0.0/8" });
  cleanup.defer(worker.kill);
  const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
  let stored: { gzippedJson: Uint8Array } | null = null;
  while (!stored) {
    await delay(100);
    const { status } = await deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id: run.id } });
    if (status === "failed") throw new Error("The query failed.");
    stored = await deps.db.prisma.queryResult.findUnique({ where: { runId: run.id } });
  }
  await worker.stop();
  const file = join(folder, "result.json.gz");
  await writeFile(file, stored.gzippedJson);
  const { ours, bare } = await startBoth(installation, cleanup);
  const headers = { authorization: `Bearer ${key}`, "accept-encoding": "gzip" };
  const compared = await compareGets(
    { ...ours, path: `/api/queries/${query.id}/result`, headers },
    { ...bare, path: "/file", headers: { "x-file": file } },
  );
  printFigures("results", {
    ratio: compared.ratio.toFixed(2),
    cpu_ms: compared.ours.cpuMs.toFixed(2),
    bare_cpu_ms: compared.bare.cpuMs.toFixed(2),
  });
});
