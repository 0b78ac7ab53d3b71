import type { Page } from "@querybell/domain";
import { expect } from "vitest";
import type { Deps } from "../deps.ts";
import { listQueries } from "../queries/index.ts";
import { listReferences } from "../references/index.ts";
import { dbTest } from "../testing/db-test.ts";
import { type Client, openClient } from "../testing/open-client.ts";
import { createRandomWriter } from "../testing/random-writer.ts";
import { createSeededRandom, type SeededRandom } from "../testing/seeded-random.ts";

// A failure prints its seed: QUERYBELL_TEST_SEED=<seed> repeats it, step by step. QUERYBELL_TEST_RUNS=<n> tries more.
const seed = Number(process.env.QUERYBELL_TEST_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.QUERYBELL_TEST_RUNS ?? 400);
const lanes = 2;
const sequencesInEach = 100;
const worldsInEach = Math.ceil(runs / lanes / sequencesInEach);

type ListDeps = Parameters<typeof listReferences>[0];
type List = (deps: ListDeps, page: { limit: number; cursor?: string | undefined }) => Promise<Page<unknown>>;

const referencesNow = `
  SELECT r.id, r.short_id AS "shortId", r.title, r.description, r.query_id IS NULL AS "isOptimistic",
    r.created_by AS "createdBy", r.created_at AS "createdAt", r.updated_at AS "updatedAt",
    CASE WHEN q.id IS NOT NULL THEN jsonb_build_object('id', q.id, 'sql', q.sql) END AS "currentQuery"
  FROM query_references r LEFT JOIN queries q ON q.id = r.query_id
  WHERE r.organization_id = $1 AND r.deleted_at IS NULL`;
const queriesNow = `
  SELECT q.id, q.sql, q.name, q.description, q.version, q.analytical_database_config_id AS "analyticalDatabaseConfigId",
    q.created_by AS "createdBy", q.created_at AS "createdAt", q.updated_at AS "updatedAt",
    (SELECT jsonb_build_object('id', id, 'status', status, 'runAt', created_at, 'failureCode', failure_code)
     FROM query_runs
     WHERE query_id = q.id ORDER BY created_at DESC, id DESC LIMIT 1) AS "latestRun"
  FROM queries q WHERE q.organization_id = $1 AND q.deleted_at IS NULL`;

/** Each list, with a plain statement that reads its current rows. */
const lists = (caller: {
  organizationId: string;
}): [{ now: string; list: List }, ...{ now: string; list: List }[]] => [
  { now: referencesNow, list: (deps, page) => listReferences(deps, caller, page) },
  {
    now: `${referencesNow} AND r.query_id IS NOT NULL`,
    list: (deps, page) => listReferences(deps, caller, { ...page, isOptimistic: false }),
  },
  { now: queriesNow, list: (deps, page) => listQueries(deps, caller, page) },
  {
    now: `${queriesNow} AND (q.sql ILIKE '%a%' OR q.name ILIKE '%a%')`,
    list: (deps, page) => listQueries(deps, caller, { ...page, search: "A" }),
  },
];

/** Reads one sequence of pages. Its first step also reads, in the same transaction, the rows to expect. */
function createReader(deps: Deps, place: { client: Client; random: SeededRandom; organizationId: string }) {
  const { client, random, organizationId } = place;
  const { now, list } = random.pick(lists({ organizationId }));
  const limit = () => 1 + random.below(12);
  let truth: unknown[] = [];
  const seen: unknown[] = [];
  let page: Page<unknown> | undefined;

  const begin = async (): Promise<Page<unknown>> => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const first = await list({ ...deps, db: { pool: client } }, { limit: limit() });
    const { rows } = await client.query(`${now} ORDER BY "createdAt" DESC, id DESC`, [organizationId]);
    await client.query("COMMIT");
    truth = rows;
    return first;
  };

  return {
    /** Reads the next page. Returns whether it was the last one. */
    async step(): Promise<boolean> {
      page = page ? await list(deps, { limit: limit(), cursor: page.nextCursor }) : await begin();
      seen.push(...page.items);
      return !("nextCursor" in page);
    },
    result: () => ({ seen, truth: JSON.parse(JSON.stringify(truth, plain)) as unknown[] }),
  };
}

/** Postgres writes times inside JSON with an offset. */
const plain = (key: string, value: unknown) =>
  key === "runAt" && typeof value === "string" ? new Date(value).toISOString() : value;

type Place = Omit<Parameters<typeof createRandomWriter>[0], "client" | "random" | "now">;

/** One organization with writers and readers whose steps alternate, in random order. */
async function checkWorld(deps: Deps, random: SeededRandom, place: Place): Promise<void> {
  let tick = Date.parse("2026-11-15T12:00:00.000Z");
  const now = () => {
    tick += random.below(2);
    return new Date(tick);
  };
  await using opened = new AsyncDisposableStack();
  const open = async () => opened.use(await openClient(deps));
  const writer = async () => createRandomWriter({ ...place, client: await open(), random, now });
  const writers = [await writer(), await writer(), await writer()];
  for (const writer of writers) await writer.fill();
  const client = await open();
  const newReader = () => createReader(deps, { ...place, client, random });
  const readers = Array.from({ length: 4 }, newReader);
  for (let ended = 0; ended < sequencesInEach; ) {
    for (const writer of writers) if (random.below(2) > 0) await writer.step();
    const at = random.below(readers.length);
    const reader = readers[at];
    if (!reader || !(await reader.step())) continue;
    const { seen, truth } = reader.result();
    expect(seen, `sequence ${ended} with QUERYBELL_TEST_SEED=${seed}`).toEqual(truth);
    readers[at] = newReader();
    ended++;
  }
}

dbTest(
  `${lanes * worldsInEach * sequencesInEach} sequences of pages each show exactly what was there when they began`,
  { timeout: 600_000 },
  async ({ deps, make }) => {
    const lane = async (_: unknown, number: number) => {
      for (let world = 0; world < worldsInEach; world++) {
        const owner = await make.owner();
        const { id: databaseId } = await make.database(owner);
        const random = createSeededRandom(seed + number * worldsInEach + world);
        await checkWorld(deps, random, { ...owner, databaseId });
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  },
);
