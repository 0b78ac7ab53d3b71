// A result of 1,000,000 rows and about 250 MB of JSON from each engine: the memory of the engine host while it passes
// through: idle, at the start and at each quarter of the rows, and at its highest. Trino is measured if it can be
// started here (see CONTRIBUTING.md), or at TRINO_URL.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { EngineKind } from "@querybell/domain";
import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import { createEngineHosts } from "@querybell/engine-hosts";
import { hostPids, usedBytesOfHost } from "@querybell/engine-hosts/testing/host-processes";
import type { Database } from "@querybell/engines";
import { createSampleShop } from "@querybell/engines/sample-shop";
import { startTrinoControl } from "@querybell/engines/testing/trino-control";
import { z } from "zod";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const rows = 1_000_000;
const mebibyte = 1024 ** 2;
// The smallest memory limit there is: a host that collected the rows would be killed.
const limits = { rows, bytes: 256 * mebibyte, timeMs: 3_600_000, memoryBytes: 64 * mebibyte };
const sampleEveryMs = 50;

const statements: Record<EngineKind, string> = {
  duckdb: `SELECT i, repeat(md5(i::varchar), 7) AS text FROM range(${rows}) t(i)`,
  postgres: `SELECT i, repeat(md5(i::text), 7) AS text FROM generate_series(1, ${rows}) t(i)`,
  trino: `SELECT i, array_join(repeat(lower(to_hex(md5(to_utf8(CAST(i AS varchar))))), 7), '') AS text
    FROM TABLE(sequence(1, ${rows})) t(i)`,
};

await withCleanup(async (cleanup) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "querybell-big-results-"));
  cleanup.defer(() => rm(dataFolder, { recursive: true, force: true }));
  await createSampleShop(join(dataFolder, "shop.duckdb"));
  const postgres = await startThrowawayPostgres();
  cleanup.defer(() => postgres.stop());
  const control = await startTrinoControl();
  cleanup.defer(control.stop);
  const hosts = createEngineHosts({
    size: 1,
    dataFolder,
    resolveHost: async (host) => ({ kind: "resolved", addresses: [host] }),
  });
  cleanup.defer(() => hosts.close());

  const databases: [EngineKind, () => Database | Promise<Database>][] = [
    ["duckdb", () => ({ engine: "duckdb", configuration: { file: "shop.duckdb" } })],
    ["postgres", () => postgresAt(new URL(postgres.url))],
  ];
  if (control.missing === undefined) databases.push(["trino", () => startTrino(control.url)]);
  const measured: string[] = [];
  for (const [engine, open] of databases) measured.push(await measure(engine, await open()));
  console.log(`big-results rows=${rows} ${measured.join(" ")}`);

  async function measure(engine: EngineKind, database: Database): Promise<string> {
    const organizationId = engine;
    const others = hostPids();
    const hostMemory = () =>
      Math.max(
        0,
        ...hostPids()
          .filter((pid) => !others.includes(pid))
          .map(usedBytesOfHost),
      );
    await hosts.run({ organizationId, database, statement: { text: "SELECT 1", values: [] } });
    const idle = hostMemory();
    const atQuarters: number[] = [];
    let [highest, isOver] = [0, false];
    const sampling = (async () => {
      for (; !isOver; await wait(sampleEveryMs)) highest = Math.max(highest, hostMemory());
    })();
    const startedAt = performance.now();
    const outcome = await hosts.run(
      { organizationId, database, statement: { text: statements[engine], values: [] }, limits },
      {
        onProgress: (done) => {
          if (done >= (atQuarters.length * rows) / 4) atQuarters.push(hostMemory());
        },
      },
    );
    isOver = true;
    await sampling;
    if (outcome.kind === "failed") throw new Error(`${engine}: ${outcome.failure.message}`);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const megabytes = (bytes: number) => Math.round(bytes / mebibyte);
    const host = [idle, ...atQuarters, highest].map(megabytes).join("/");
    const line = `${engine}_json_mb=${megabytes(outcome.jsonBytes)} ${engine}_seconds=${seconds} ${engine}_host_mb=${host}`;
    const gzippedBytes = outcome.gzippedPieces.reduce((bytes, piece) => bytes + piece.length, 0);
    console.error(`${line} rows=${outcome.rowCount} gzip_mb=${megabytes(gzippedBytes)}`);
    return line;
  }
});

function postgresAt({ hostname, port, pathname, username, password }: URL): Database {
  return {
    engine: "postgres",
    configuration: {
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      tls: "off",
    },
  };
}

async function startTrino(control: string): Promise<Database> {
  const response = await fetch(`${control}/start`, { method: "POST", signal: AbortSignal.timeout(900_000) });
  if (!response.ok) throw new Error(await response.text());
  const { hostname, port, username } = new URL(
    z.object({ url: z.string() }).parse(await response.json()).url,
  );
  return {
    engine: "trino",
    configuration: {
      host: hostname,
      port: Number(port || 80),
      catalog: "tpch",
      user: decodeURIComponent(username) || "querybell",
      tls: "off",
      credentials: { kind: "none" },
    },
  };
}
