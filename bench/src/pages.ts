// The cost of pages: the last page of a million references compared with the first, and the route compared with a bare
// Fastify route that runs the same SQL. Measured alternately in one run, so that other load affects both alike.
import { Agent, get } from "node:http";
import { createServer } from "@querybell/api/server";
import type { Deps } from "@querybell/core";
import { createKey } from "@querybell/core/keys";
import { listReferences } from "@querybell/core/references";
import { type Caller, newId } from "@querybell/domain";
import { createLogger } from "@querybell/runtime";
import fastify from "fastify";
import pg from "pg";
import { median, printFigures } from "./measuring/measuring.ts";
import { openDatabase } from "./measuring/open-database.ts";

const references = 1_000_000;
const connections = 16;
const secondsEach = 3;
const rounds = 4;

await using opened = new AsyncDisposableStack();
const { deps, url } = await openDatabase(opened);

const owner = await createOwner(deps);
const { key } = await createKey(deps, owner, { name: "Bench", scopes: ["references:read"] });
await fill(deps);
const depth = await measureDepth();
const ratio = await measureRatio();
printFigures("pages", { ratio: ratio.toFixed(2), depth: depth.toFixed(2) });

async function createOwner({ db, clock }: Deps): Promise<Caller> {
  const [organizationId, userId] = [newId(clock), newId(clock)];
  const at = { createdAt: clock.now() };
  const name = "Bench";
  await db.prisma.user.create({
    data: { id: userId, name, email: "bench@example.test", ...at, updatedAt: at.createdAt },
  });
  await db.prisma.organization.create({
    data: { id: organizationId, name, slug: "bench", restCompatibility: "live", ...at },
  });
  await db.prisma.member.create({ data: { organizationId, userId, role: "owner", ...at } });
  return { organizationId, userId, role: "owner", via: { kind: "session", sessionId: "" } };
}

async function fill({ db, clock }: Deps): Promise<void> {
  const databaseId = newId(clock);
  await db.pool.query(
    `INSERT INTO analytical_database_configs (id, organization_id, name, engine, settings, limits, created_at, updated_at)
     VALUES ($1, $2, 'None', 'duckdb', '{}', '{}', now(), now())`,
    [databaseId, owner.organizationId],
  );
  await db.pool.query(
    `INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, created_by, created_at, updated_at)
     SELECT uuidv7(), $1, $2, 'SELECT ' || n, $3, now(), now() FROM generate_series(1, 1000) n`,
    [owner.organizationId, databaseId, owner.userId],
  );
  await db.pool.query(
    `INSERT INTO query_references (id, organization_id, short_id, query_id, title, created_by, created_at, updated_at)
     SELECT uuidv7(), $1, translate(lpad(to_hex(n), 10, 'z'), '01', 'xy'), q.ids[1 + n % 1000], 'Reference ' || n, $2,
       now() - n * interval '1 ms', now()
     FROM generate_series(1, $3::int) n, (SELECT array_agg(id) AS ids FROM queries) q`,
    [owner.organizationId, owner.userId, references],
  );
  await db.pool.query("VACUUM ANALYZE");
}

/** The time of the last page over that of the first: medians of alternating calls. */
async function measureDepth(): Promise<number> {
  const first = await listReferences(deps, owner, { limit: 20, isOptimistic: false });
  const times: [number[], number[]] = [[], []];
  const lastCursor = await cursorNearTheEnd(first.nextCursor ?? "");
  for (let round = 0; round < 2000; round++) {
    for (const [at, cursor] of [undefined, lastCursor].entries()) {
      const start = performance.now();
      const { items } = await listReferences(deps, owner, { limit: 20, cursor, isOptimistic: false });
      times[at]?.push(performance.now() - start);
      if (items.length !== 20) throw new Error(`A page of ${items.length} items.`);
    }
  }
  const [firstMs, lastMs] = [median(times[0]), median(times[1])];
  console.log(`first page ${firstMs.toFixed(3)} ms, last page ${lastMs.toFixed(3)} ms`);
  return lastMs / firstMs;
}

/** Opens a first cursor and moves it to where twenty references are left. */
async function cursorNearTheEnd(cursor: string): Promise<string> {
  const sequence = { list: "references", organizationId: owner.organizationId, filter: "isOptimistic=false" };
  const { rows } = await deps.db.pool.query<{ createdAt: Date; id: string }>(
    'SELECT created_at AS "createdAt", id FROM query_references ORDER BY created_at, id OFFSET 20 LIMIT 1',
  );
  const [after] = rows;
  if (!after) throw new Error("There are too few references.");
  return deps.cursors.sealSnapshot(sequence, { ...deps.cursors.openSnapshot(sequence, cursor), after });
}

/** Requests a second of the route over those of a bare one, in alternating rounds. */
async function measureRatio(): Promise<number> {
  const settings = {
    NODE_ENV: "production" as const,
    METRICS_TOKEN: undefined,
    RATE_LIMIT_PER_MINUTE: 1_000_000_000,
    MAX_SUBSCRIPTIONS: 50,
    TRUSTED_PROXIES: undefined,
    WEB_FOLDER: "",
  };
  const logger = createLogger("api", "warn");
  const ours = await createServer({ deps, logger, settings });
  opened.defer(() => ours.close());
  const bare = await startBare();
  const oursUrl = await ours.listen({ host: "127.0.0.1", port: 0 });
  const counts = [0, 0];
  for (let round = 0; round < rounds; round++) {
    for (const [at, base] of [oursUrl, bare].entries()) {
      counts[at] = (counts[at] ?? 0) + (await countRequests(`${base}/api/queries/refs?limit=20`));
    }
  }
  const [here = Number.NaN, there = Number.NaN] = counts.map((count) => count / (rounds * secondsEach));
  console.log(`ours ${here.toFixed(0)} requests/s, bare ${there.toFixed(0)} requests/s`);
  return here / there;
}

/** A bare route with the same prepared statement. */
async function startBare(): Promise<string> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  opened.defer(() => pool.end());
  const client = await deps.db.pool.connect();
  await listReferences({ ...deps, db: { pool: client } }, owner, { limit: 20, isOptimistic: false });
  const { rows } = await client.query<{ name: string; text: string }>(
    "SELECT name, statement AS text FROM pg_prepared_statements WHERE name = 'list_references'",
  );
  client.release();
  const values = [owner.organizationId, null, "infinity", "ffffffff-ffff-ffff-ffff-ffffffffffff", 20, false];
  const statement = { ...rows[0], text: rows[0]?.text ?? "", values };
  const app = fastify();
  app.get("/api/queries/refs", async () => ({ items: (await pool.query(statement)).rows }));
  opened.defer(() => app.close());
  return app.listen({ host: "127.0.0.1", port: 0 });
}

async function countRequests(address: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + secondsEach * 1000;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      get(address, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${address} answered ${answer.statusCode}.`));
        answer.resume().once("end", resolve);
      }).once("error", reject);
    });
  let count = 0;
  const client = async () => {
    for (; performance.now() < until; count++) await one();
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return count;
}
