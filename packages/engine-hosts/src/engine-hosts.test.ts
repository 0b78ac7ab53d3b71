import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { EngineKind } from "@querybell/domain";
import { type Database, engineOf } from "@querybell/engines";
import { compile } from "@querybell/engines/testing/bound-and-rendered";
import {
  databaseOf,
  dataFolder,
  describeEngines,
  describeServerEngines,
  postgresDatabase,
  runAsOwner,
  type ServerEngine,
  serverDatabase,
} from "@querybell/engines/testing/real-databases";
import { trinoDatabase, trinoSchema } from "@querybell/engines/testing/trino-database";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { type CompletedRun, createEngineHosts, type RunRequest } from "./index.ts";
import { findHostPid } from "./proc-files.ts";
import { endless } from "./testing/endless-statements.ts";
import { environmentOf, hostPids } from "./testing/host-processes.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

const organizationId = "one";

// With a grace period that never ends, so that only the database itself can end a stopped statement.
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
const jsonOf = (run: CompletedRun) => gunzipSync(Buffer.concat(run.gzippedPieces)).toString();

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
    expect(run.etag).toBe(createHash("sha256").update(Buffer.concat(run.gzippedPieces)).digest("base64url"));
    // Trino reports the rows that it read from tables.
    const rowsRead = engine === "trino" ? 0 : 1;
    expect(run).toMatchObject({ rowCount: 1, rowsRead, cutBy: null, jsonBytes: Buffer.byteLength(json) });
  });

  test("streams many rows and reports its progress", async () => {
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

  test("is truncated after the last row that is allowed, and reports that", async () => {
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

  test("is truncated before its JSON is larger than allowed", async () => {
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

  test("that is invalid fails with the message of the engine", async () => {
    expect(await hosts.run(request(engine, "SELECT nonsense FROM nowhere"))).toMatchObject({
      failure: { code: "query_failed", message: expect.stringContaining("nowhere") },
    });
  });

  test("that fails after some rows fails whole", async () => {
    const text = `SELECT CASE WHEN i < 15000 THEN 1 ELSE CAST(rpad('x', 3, 'x') AS integer) END FROM ${numbers[engine](20_000)}`;
    expect(await hosts.run(request(engine, text))).toMatchObject({ failure: { code: "query_failed" } });
  });

  test("that takes too long is stopped, and the same host serves the next run", async () => {
    await complete(request(engine, "SELECT 1"));
    const before = hostPids();
    expect(await hosts.run(request(engine, endless[engine], { timeMs: 1_000 }))).toMatchObject({
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

  test("has a session in UTC", async () => {
    const run = await complete(request(engine, `SELECT ${timeZone[engine]}`));
    expect(JSON.parse(jsonOf(run)).rows).toEqual([["UTC"]]);
  });

  test("is executed in a host without the environment of its parent, which serves the next run too", async () => {
    await complete(request(engine, "SELECT 1"));
    const pids = hostPids();
    await complete(request(engine, "SELECT 1"));
    expect(hostPids()).toEqual(pids);
    const names = hostPids()
      .map(findHostPid)
      .flatMap(environmentOf)
      .map((entry) => entry.split("=")[0] ?? "");
    // With Landlock, DuckDB reads the size of the machine from the variables of SLURM.
    const needed = (name: string) =>
      /^(?:NODE_CHANNEL_|SLURM_)/.test(name) || ["OPENSSL_CONF", "NODE_COMPILE_CACHE", "PWD"].includes(name);
    expect(names.filter((name) => !needed(name))).toEqual([]);
  });
});

test("a run with thousands of columns returns all of its fields", async () => {
  const names = Array.from({ length: 5000 }, (_, index) => `column_${index}`);
  const run = await complete(request("duckdb", `SELECT ${names.map((name) => `1 AS ${name}`).join(", ")}`));
  expect(run.fields.map(({ name }) => name)).toEqual(names);
});

test("a run whose rows arrive slowly is stopped at its limit, although each batch arrives in time", async () => {
  // The limit of Postgres itself applies to each batch of rows only.
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

  // The parent measures its hosts, whichever server they read from.
  test("that a host takes beyond the limit ends it, fails the run, and a new host continues", async () => {
    await complete(request("postgres", "SELECT 1"));
    const before = hostPids();
    const text = "SELECT rpad('x', 150000000, 'x')";
    const outcome = await hosts.run(request("postgres", text, { memoryBytes: 64 * 1024 ** 2 }));
    expect(outcome).toMatchObject({ failure: { code: "out_of_memory" } });
    expect(await complete(request("postgres", "SELECT 1"))).toMatchObject({ rowCount: 1 });
    expect(hostPids()).not.toEqual(before);
  });
});

type Unusable = [what: string, database: () => Database, code: string, message: RegExp];
const unusable: Record<ServerEngine, Unusable[]> = {
  postgres: [
    [
      "a wrong password",
      () => postgresDatabase({ password: "wrong" }),
      "database_credentials_refused",
      /user or the password/,
    ],
    [
      "a name that does not exist",
      () => postgresDatabase({ database: "nothing" }),
      "database_unreachable",
      /"nothing" does not exist/,
    ],
  ],
  // Credentials need TLS, and have separate tests in trino-session.test.ts.
  trino: [
    [
      "a catalog that does not exist",
      () => trinoDatabase({ catalog: "absent" }),
      "database_unreachable",
      /'absent'.*Check its host/,
    ],
  ],
};

describeServerEngines("a connection to", (engine) => {
  const servers: Unusable[] = [
    [
      "a closed port",
      () => serverDatabase(engine, { port: 1 }),
      "database_unreachable",
      /ECONNREFUSED.*Check its host/,
    ],
    ["a server without TLS", () => serverDatabase(engine, { tls: "require" }), "database_unreachable", /SSL/],
    [
      "a host without an address",
      () => serverDatabase(engine, { host: "querybell.invalid" }),
      "database_unreachable",
      /querybell\.invalid/,
    ],
  ];

  test.each([...servers, ...unusable[engine]])(
    "fails because of %s with a separate code, for runs and for tests of the connection",
    async (_, databaseWith, code, message) => {
      const database = databaseWith();
      const failure = { code, message: expect.stringMatching(message) };
      const run = request(engine, "SELECT 1 FROM information_schema.tables");
      expect(await hosts.run({ ...run, database })).toMatchObject({ failure });
      await expect(hosts.testConnection({ organizationId, database })).rejects.toMatchObject(failure);
    },
  );

  test("fails with the reason only for an address that accepted the organization before", async () => {
    const database = serverDatabase(engine, { host: "db.example" });
    const [[, wrongDatabase, , reason] = expect.unreachable()] = unusable[engine];
    const { port } = engineOf(database.engine).server(database.configuration) ?? expect.unreachable();
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
      resolveHost: async () => ({ kind: "resolved", addresses }),
      onWithheldReason: (told) => withheld.push(told),
    });
    onTestFinished(() => moving.close());
    const reasonOfFailure = () =>
      moving
        .testConnection({ organizationId, database: atExample(wrongDatabase()), knownServers })
        .catch(({ message }) => message);

    expect(await reasonOfFailure()).toMatch(/^No connection to a database at db\.example:/);
    const server = `db.example:${port}`;
    expect(withheld).toEqual([{ organizationId, server, reason: expect.stringMatching(reason) }]);
    await moving.testConnection({ organizationId, database, knownServers });
    expect([...reached]).toEqual([server, `127.0.0.1:${port}`]);
    expect(await reasonOfFailure()).toMatch(reason);
    // The name now leads to an address that has not accepted a connection.
    addresses = ["127.0.0.2"];
    expect(await reasonOfFailure()).toMatch(/^No connection to a database at db\.example:/);
    addresses = ["127.0.0.1", "127.0.0.2"];
    expect(await reasonOfFailure()).toMatch(reason);
  });

  test("is never opened if its host is refused", async () => {
    const guarded = createEngineHosts({
      size: 1,
      dataFolder,
      resolveHost: async (host) => ({
        kind: "failed",
        failure: { code: "database_unreachable", message: `${host} is private` },
      }),
    });
    expect(await guarded.run(request(engine, "SELECT 1"))).toMatchObject({
      failure: { code: "database_unreachable", message: expect.stringMatching(/is private$/) },
    });
    await guarded.close();
  });
});

function atExample(database: Database): Database {
  if ("host" in database.configuration) database.configuration.host = "db.example";
  return database;
}

const descriptions: Record<EngineKind, { version: RegExp; schema: string; types: string[] }> = {
  duckdb: { version: /^DuckDB v\d/, schema: "main", types: ["BIGINT", "DECIMAL(10,2)", "VARCHAR"] },
  postgres: {
    version: /^Postgres \d/,
    schema: "public",
    types: ["bigint", "numeric(10,2)", "character varying(20)"],
  },
  trino: { version: /^Trino \d/, schema: trinoSchema, types: ["bigint", "decimal(10,2)", "varchar(20)"] },
};

describeEngines("the description of", (engine) => {
  test("has its version, schemas, tables, columns and types", async () => {
    const { version, schema, types } = descriptions[engine];
    const within = engine === "trino" ? `memory.${trinoSchema}.` : "";
    await runAsOwner(
      engine,
      `CREATE TABLE ${within}listed (id bigint, price decimal(10, 2), names varchar(20))`,
      `CREATE VIEW ${within}seen AS SELECT id FROM ${within}listed`,
      `COMMENT ON TABLE ${within}listed IS 'What is ${"long ".repeat(200)}'`,
      `COMMENT ON COLUMN ${within}listed.price IS 'In euros, don''t add them up'`,
    );
    const target = { organizationId, database: databaseOf(engine) };
    expect((await hosts.testConnection(target)).version).toMatch(version);
    expect(await hosts.listSchemas(target)).toContain(schema);
    const [id, price, names] = types;
    const tables = await hosts.listTables(target);
    expect(tables.filter((table) => /^(listed|seen)$/.test(table.name))).toEqual([
      {
        schema,
        name: "listed",
        comment: `What is ${"long ".repeat(200)}`.slice(0, 500),
        columns: [
          { name: "id", type: id },
          { name: "price", type: price, comment: "In euros, don't add them up" },
          { name: "names", type: names },
        ],
      },
      { schema, name: "seen", columns: [{ name: "id", type: id }] },
    ]);
  });
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
