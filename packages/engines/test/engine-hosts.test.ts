import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findHostPid } from "../src/host/host-pid.ts";
import {
  type CompletedRun,
  createEngineHosts,
  type Database,
  type EngineKind,
  type RunRequest,
} from "../src/index.ts";
import type { PostgresConfiguration } from "../src/postgres/postgres-engine.ts";
import { compile } from "./both-ways.ts";
import { environmentOf, hostPids } from "./host-processes.ts";
import {
  databaseOf,
  dataFolder,
  describeEngines,
  postgresDatabase,
  runInDuckdb,
  withPostgres,
} from "./real-databases.ts";
import { resolveAnyHost } from "./resolve-any-host.ts";

const organizationId = "one";

// However long it takes, only the databases end what is stopped here.
const hosts = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder, graceMs: 3_600_000 });
afterAll(() => hosts.close());

const request = (engine: EngineKind, text: string, limits: RunRequest["limits"] = {}): RunRequest => ({
  organizationId,
  database: databaseOf(engine),
  statement: { text, values: [] },
  limits,
});

const numbers: Record<EngineKind, (count: number) => string> = {
  duckdb: (count) => `range(1, ${count + 1}) t(i)`,
  postgres: (count) => `generate_series(1, ${count}) t(i)`,
  trino: (count) => `TABLE(sequence(1, ${count})) t(i)`,
};
const endless: Record<EngineKind, string> = {
  duckdb: "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c",
  postgres:
    "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b, generate_series(1, 1000) c",
  trino: "SELECT count(*) FROM tpch.sf10000.lineitem WHERE comment LIKE '%x%x%'",
};
const timeZone: Record<EngineKind, string> = {
  duckdb: "current_setting('TimeZone')",
  postgres: "current_setting('TimeZone')",
  trino: "current_timezone()",
};

async function complete(runRequest: RunRequest): Promise<CompletedRun> {
  const outcome = await hosts.run(runRequest);
  if (outcome.kind !== "completed") throw new Error(`The run failed: ${JSON.stringify(outcome.failure)}`);
  return outcome;
}
const jsonOf = (run: CompletedRun) => gunzipSync(run.gzippedJson).toString();

describeEngines("a run on", (engine) => {
  test("answers with the published JSON, compressed", async () => {
    const run = await complete({
      organizationId,
      database: databaseOf(engine),
      statement: compile(engine, "SELECT {{a}} AS a, {{b}} || 'é' AS b", {
        a: ["integer", 7],
        b: ["string", "x"],
      }),
    });
    const json =
      '{"fields":[{"name":"a","type":"integer"},{"name":"b","type":"string"}],"rows":[[7,"xé"]],"rowCount":1}';
    expect(jsonOf(run)).toBe(json);
    // Trino says what it read, and this was read from nowhere.
    const rowsRead = engine === "trino" ? 0 : 1;
    expect(run).toMatchObject({ rowCount: 1, rowsRead, cutBy: null, jsonBytes: Buffer.byteLength(json) });
  });

  test("streams many rows and tells its progress", async () => {
    const seen: number[] = [];
    const outcome = await hosts.run(
      request(engine, `SELECT i, rpad('x', 2000, 'x') FROM ${numbers[engine](20_000)}`, {
        bytes: 100_000_000,
      }),
      { onProgress: (rows) => seen.push(rows) },
    );
    expect(outcome).toMatchObject({ kind: "completed", rowCount: 20_000 });
    expect(seen[0]).toBe(0);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBeLessThanOrEqual(20_000);
  });

  test("is cut after the last row that is allowed, and says so", async () => {
    const whole = await complete(request(engine, `SELECT i FROM ${numbers[engine](100)}`, { rows: 100 }));
    expect(whole).toMatchObject({ rowCount: 100, cutBy: null });
    const cut = await complete(
      request(engine, `SELECT i FROM ${numbers[engine](101)} ORDER BY i`, { rows: 100 }),
    );
    expect(cut).toMatchObject({ rowCount: 100, cutBy: "rows" });
    expect(JSON.parse(jsonOf(cut))).toMatchObject({
      rowCount: 100,
      rows: whole.rowCount && expect.any(Array),
    });
    expect(JSON.parse(jsonOf(cut)).rows.at(-1)).toEqual([100]);
  });

  test("is cut before its JSON is larger than allowed", async () => {
    const cut = await complete(
      request(engine, `SELECT rpad('é', 100, 'é') FROM ${numbers[engine](100)}`, { bytes: 5000 }),
    );
    expect(cut.cutBy).toBe("bytes");
    expect(cut.jsonBytes).toBeLessThanOrEqual(5000);
    expect(cut.jsonBytes).toBe(Buffer.byteLength(jsonOf(cut)));
    const { rows, rowCount } = JSON.parse(jsonOf(cut));
    expect(rows).toHaveLength(rowCount);
  });

  test("whose first row is too large fails with result_too_large", async () => {
    expect(await hosts.run(request(engine, "SELECT rpad('x', 10000, 'x')", { bytes: 5000 }))).toMatchObject({
      failure: { code: "result_too_large", message: expect.stringContaining("Select fewer") },
    });
  });

  test("that is wrong fails with the engine's words", async () => {
    expect(await hosts.run(request(engine, "SELECT nonsense FROM nowhere"))).toMatchObject({
      failure: { code: "query_failed", message: expect.stringContaining("nowhere") },
    });
  });

  test("that fails after some rows fails whole", async () => {
    const text = `SELECT CASE WHEN i < 15000 THEN 1 ELSE CAST(rpad('x', 3, 'x') AS integer) END FROM ${numbers[engine](20_000)}`;
    expect(await hosts.run(request(engine, text))).toMatchObject({ failure: { code: "query_failed" } });
  });

  test("that takes too long is stopped, and the same host goes on", async () => {
    await complete(request(engine, "SELECT 1"));
    const before = hostPids();
    expect(await hosts.run(request(engine, endless[engine], { timeMs: 300 }))).toMatchObject({
      failure: { code: "query_timeout", message: expect.stringContaining("raise the limit") },
    });
    expect(await complete(request(engine, "SELECT 1"))).toMatchObject({ rowCount: 1 });
    expect(hostPids()).toEqual(before);
  });

  test("of several statements is refused by the engine too", async () => {
    expect(await hosts.run(request(engine, "SELECT 1; SELECT 2"))).toMatchObject({
      failure: { code: "query_failed" },
    });
  });

  test("sees its own UTC and ISO settings, whatever the last run did to the session", async () => {
    const run = await complete(request(engine, `SELECT ${timeZone[engine]}`));
    expect(JSON.parse(jsonOf(run)).rows).toEqual([["UTC"]]);
  });
});

test("a run whose rows come one after the other for longer than its limit is stopped, though each comes soon", async () => {
  // Postgres's own limit is for each batch of rows. The run would end by itself within ten times its limit.
  const text = "SELECT pg_sleep(0.02), repeat('x', 20000) FROM generate_series(1, 500)";
  expect(await hosts.run(request("postgres", text, { timeMs: 3_000 }))).toMatchObject({
    failure: { code: "query_timeout", message: expect.stringContaining("longer than 3 seconds") },
  });
});

describe("memory", () => {
  test("that DuckDB asks for beyond the limit fails the run with out_of_memory", async () => {
    const text =
      "SELECT list(i), max(s) FROM (SELECT i, repeat(i::varchar, 20) s FROM range(10000000) t(i)) GROUP BY i % 3000000";
    expect(await hosts.run(request("duckdb", text, { memoryBytes: 64 * 1024 ** 2 }))).toMatchObject({
      failure: { code: "out_of_memory" },
    });
  });

  test("that a process takes beyond the limit ends it, fails the run, and a fresh host goes on", async () => {
    await complete(request("postgres", "SELECT 1"));
    const before = hostPids();
    const outcome = await hosts.run(
      request("postgres", "SELECT repeat('x', 150000000)", {
        memoryBytes: 64 * 1024 ** 2,
      }),
    );
    expect(outcome).toMatchObject({ failure: { code: "out_of_memory" } });
    expect(await complete(request("postgres", "SELECT 1"))).toMatchObject({ rowCount: 1 });
    expect(hostPids()).not.toEqual(before);
  });
});

describe("a database that cannot be used", () => {
  test.each<[string, Partial<PostgresConfiguration>, string, RegExp]>([
    ["a wrong password", { password: "wrong" }, "database_credentials_refused", /user or the password/],
    ["a port where nobody listens", { port: 1 }, "database_unreachable", /ECONNREFUSED.*Check its host/],
    ["a name that is not there", { database: "nothing" }, "database_unreachable", /"nothing" does not exist/],
    ["TLS where there is none", { tls: "require" }, "database_unreachable", /SSL/],
    [
      "a host without an address",
      { host: "querybell.invalid" },
      "database_unreachable",
      /querybell\.invalid/,
    ],
  ])(
    "because of %s has its own code, for runs and for tests of the connection",
    async (_, change, code, message) => {
      const database = postgresDatabase(change);
      const failure = { code, message: expect.stringMatching(message) };
      expect(await hosts.run({ ...request("postgres", "SELECT 1"), database })).toMatchObject({ failure });
      await expect(hosts.testConnection({ organizationId, database })).rejects.toMatchObject(failure);
    },
  );

  test("says why only where that address has let the organization in, wherever its name leads now", async () => {
    const { configuration } = postgresDatabase();
    const port = "port" in configuration ? configuration.port : expect.unreachable();
    const database = postgresDatabase({ host: "db.example" });
    const wrong = postgresDatabase({ host: "db.example", password: "wrong" });
    const reached = new Set<string>();
    const knownServers = {
      has: async (server: string) => reached.has(server),
      add: async (servers: string[]) => servers.forEach((server) => void reached.add(server)),
    };
    let addresses = ["127.0.0.1"];
    const withheld: unknown[] = [];
    const moving = createEngineHosts({
      size: 1,
      dataFolder,
      resolveHost: async () => ({ addresses }),
      onWithheldReason: (reason) => withheld.push(reason),
    });
    onTestFinished(() => moving.close());
    const reasonFor = (tested: Database) =>
      moving
        .testConnection({ organizationId, database: tested, knownServers })
        .catch(({ message }) => message);

    expect(await reasonFor(wrong)).toMatch(/^No connection to a database at db\.example:/);
    const server = `db.example:${port}`;
    expect(withheld).toEqual([{ organizationId, server, reason: expect.stringMatching(/password/) }]);
    await moving.testConnection({ organizationId, database, knownServers });
    expect([...reached]).toEqual([server, `127.0.0.1:${port}`]);
    expect(await reasonFor(wrong)).toMatch(/refused the user or the password/);
    // Nobody listens there, and nobody has let us in.
    addresses = ["127.0.0.2"];
    expect(await reasonFor(wrong)).toMatch(/^No connection to a database at db\.example:/);
    addresses = ["127.0.0.1", "127.0.0.2"];
    expect(await reasonFor(wrong)).toMatch(/refused the user or the password/);
  });

  test("because its host is refused is never connected to", async () => {
    const guarded = createEngineHosts({
      size: 1,
      dataFolder,
      resolveHost: async (host) => ({ refusal: `${host} is private` }),
    });
    expect(await guarded.run(request("postgres", "SELECT 1"))).toMatchObject({
      failure: { code: "database_unreachable", message: expect.stringContaining("is private") },
    });
    await guarded.close();
  });
});

describe("descriptions", () => {
  beforeAll(async () => {
    const sql =
      "CREATE TABLE listed (id bigint, price decimal(10, 2), names varchar(20)); CREATE VIEW seen AS SELECT id FROM listed";
    await runInDuckdb(sql);
    await withPostgres((client) => client.query(sql));
  });

  test.each([
    ["duckdb" as const, /^DuckDB v\d/, "main", ["BIGINT", "DECIMAL(10,2)", "VARCHAR"]],
    ["postgres" as const, /^Postgres \d/, "public", ["bigint", "numeric(10,2)", "character varying(20)"]],
  ])(
    "of %s give its version, tables, columns and types",
    async (engine, version, schema, [id, price, names]) => {
      const tested = await hosts.testConnection({ organizationId, database: databaseOf(engine) });
      expect(tested.version).toMatch(version);
      const tables = await hosts.listTables({ organizationId, database: databaseOf(engine) });
      expect(tables.filter((table) => /^(listed|seen)$/.test(table.name))).toEqual([
        {
          schema,
          name: "listed",
          columns: [
            { name: "id", type: id },
            { name: "price", type: price },
            { name: "names", type: names },
          ],
        },
        { schema, name: "seen", columns: [{ name: "id", type: id }] },
      ]);
    },
  );
});

test("a host has an empty environment and serves run after run on one database", async () => {
  for (const engine of ["duckdb", "postgres"] as const) {
    await complete(request(engine, "SELECT 1"));
    const pids = hostPids();
    await complete(request(engine, "SELECT 1"));
    expect(hostPids()).toEqual(pids);
  }
  const names = hostPids()
    .map(findHostPid)
    .flatMap(environmentOf)
    .map((entry) => entry.split("=")[0]);
  expect(
    names.filter(
      (name) => !name?.startsWith("NODE_CHANNEL_") && !["OPENSSL_CONF", "PWD"].includes(name ?? ""),
    ),
  ).toEqual([]);
});

test("a Postgres statement with many comments is refused like any other", async () => {
  for (const text of [
    "/**/".repeat(40),
    "-- ".repeat(400),
    "(".repeat(400),
    "/* ".repeat(40) + "*/".repeat(40),
  ]) {
    expect(await hosts.run(request("postgres", `${text}\nx`)), text).toMatchObject({
      failure: { code: "query_failed", message: expect.stringMatching(/^A query can only read/) },
    });
  }
});

test("a Postgres query can only read", async () => {
  await withPostgres((client) => client.query("CREATE TABLE kept (a integer)"));
  for (const text of [
    "INSERT INTO kept VALUES (1)",
    "WITH x AS (INSERT INTO kept VALUES (1) RETURNING a) SELECT * FROM x",
    "CREATE TABLE more (a integer)",
    "COPY kept TO STDOUT",
    "DO $$ BEGIN INSERT INTO kept VALUES (1); END $$",
    "COMMIT",
    "SET default_transaction_read_only = off",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT lo_create(0)",
  ]) {
    expect(await hosts.run(request("postgres", text)), text).toMatchObject({
      failure: { code: "query_failed" },
    });
  }
  const { rows } = await withPostgres((client) => client.query("SELECT * FROM kept"));
  expect(rows).toEqual([]);
});
