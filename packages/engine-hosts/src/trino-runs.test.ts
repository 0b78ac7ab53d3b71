import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { EngineProgress } from "@querybell/domain";
import type { Database, TrinoConfiguration } from "@querybell/engines";
import { compile, type Parameters } from "@querybell/engines/testing/bound-and-rendered";
import { dataFolder, execute } from "@querybell/engines/testing/real-databases";
import { hasTrino, ownsTrino } from "@querybell/engines/testing/trino";
import { signedInUser } from "@querybell/engines/testing/trino-cluster-files";
import {
  runInTrino,
  runningCluster,
  trinoDatabase,
  useTrino,
} from "@querybell/engines/testing/trino-database";
import { originOf } from "@querybell/statements";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createEngineHosts, type RunRequest } from "./index.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

const organizationId = "one";
const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder, graceMs: 3_600_000 });
afterAll(() => hosts.close());

const request = (text: string, database: Database = trinoDatabase()): RunRequest => ({
  organizationId,
  database,
  statement: { text, values: [] },
});

describe.skipIf(!hasTrino)("a session on Trino", () => {
  useTrino();

  test.each([
    ["SELECT 1,\n  'é😀', nowhere", [], "nowhere"],
    ["SELECT 'é😀', {{a}}, nowhere", ["a"], "nowhere"],
    ["SELECT {{a}},\n\t'é😀',\r\n nowhere FROM (VALUES 1) t(x)", ["a"], "nowhere"],
    ["SELECT {{a}} FORM t", ["a"], "t"],
    ["SELECT 1 +* 2", [], "* 2"],
  ])("returns the position of the error in %j", async (sql, names, wrong) => {
    const parameters: Parameters = Object.fromEntries(names.map((name) => [name, ["string", "it's"]]));
    const { text, values } = compile("trino", sql, parameters);
    const outcome = await hosts.run({ ...request(""), statement: { text, values } });
    expect(outcome).toMatchObject({
      failure: { code: "query_failed", message: expect.not.stringMatching(/^line/) },
    });
    const offset = "failure" in outcome ? (outcome.failure.offset ?? -1) : -1;
    expect(text.slice(offset).startsWith(wrong), text.slice(offset)).toBe(true);
  });

  /** Where the error is, in the text that the author wrote. */
  async function failingPlace(sql: string, parameters: Parameters): Promise<string> {
    const { text, values, origins } = compile("trino", sql, parameters);
    const outcome = await hosts.run({ ...request(""), statement: { text, values } });
    if (outcome.kind !== "failed" || outcome.failure.offset === undefined) {
      throw new Error(`Expected a failure with a place, but got ${JSON.stringify(outcome)}.`);
    }
    return sql.slice(originOf(origins, outcome.failure.offset));
  }

  test.each<[string, Parameters]>([
    ["SELECT DATE '{{day}}', HERE", { day: ["date", "2024-01-01"] }],
    ["SELECT DATE '{{day}}' AS \"it's\", 'it''s', HERE", { day: ["date", "2024-01-01"] }],
    [
      "SELECT 1 FROM (VALUES 1) t(a)\nWHERE DATE '{{day}}' > DATE '{{other}}'\n  AND a = HERE",
      { day: ["date", "2024-01-01"], other: ["date", "2024-12-31"] },
    ],
    [
      "SELECT '😀é', {{at}}, INTERVAL '{{n}}' DAY + HERE",
      { at: ["timestamp", "2024-01-01T00:00:00Z"], n: ["integer", 3] },
    ],
    ["SELECT INTERVAL '{{n}}' DAY TO SECOND, '😀', HERE", { n: ["string", "3 04:05:06"] }],
    ["SELECT {{s}}, 'two\nlines {{s}}',\n '😀😀', HERE", { s: ["string", "it's\nthree\nlines 😀"] }],
    [
      "SELECT 1 IN ({{ids}}), {{d}} -- 😀 {{d}}\n, HERE",
      { ids: ["integer[]", [1, 2, 3]], d: ["date", "2024-01-01"] },
    ],
    ["\n\r\n\t/* 😀 */ SELECT {{d}}, HERE;", { d: ["date", "2024-01-01"] }],
  ])("points into what the author wrote, after values of any type: %j", async (sql, parameters) => {
    expect(await failingPlace(sql, parameters)).toBe(sql.slice(sql.lastIndexOf("HERE")));
  });

  test.each<[string, Parameters, string]>([
    ["SELECT 1, DATE '{{day}}', 2", { day: ["string", "no day"] }, "'{{day}}', 2"],
    [
      "SELECT '😀', 'it''s', {{s}},\n  TIMESTAMP '{{day}} 00:00:00', {{n}}",
      { s: ["string", "it's\n\n😀"], day: ["string", "no\nday"], n: ["integer", 1] },
      "'{{day}} 00:00:00', {{n}}",
    ],
    ["SELECT {{s}}, DATE '{{day}}'", { s: ["string", "😀\n"], day: ["string", "2024-02-30"] }, "'{{day}}'"],
  ])("points at the literal whose value is wrong: %j", async (sql, parameters, place) => {
    expect(await failingPlace(sql, parameters)).toBe(place);
  });

  test.each([
    ["Europe/Berlin", "2024-10-27 00:30:00", "2024-10-27 01:30:00"],
    ["America/New_York", "2024-11-03 05:30:00", "2024-11-03 06:30:00"],
  ])(
    "takes neither of two times that the clocks of %s show alike for the other",
    async (zone, first, second) => {
      const iso = (utc: string) => `${utc.replace(" ", "T")}Z`;
      const read = (select: string) => execute("trino", { text: select, values: [] });
      for (const utc of [first, second]) {
        const inZone = `TIMESTAMP '${utc} UTC' AT TIME ZONE '${zone}'`;
        for (const sql of [`SELECT ${inZone}`, `SELECT ARRAY[ROW(${inZone})]`]) {
          expect(await hosts.run(request(sql))).toMatchObject({
            failure: {
              code: "query_failed",
              message: expect.stringMatching(/:30:00.* showed twice.* AT TIME ZONE 'UTC'/),
            },
          });
        }
        const { rows } = await read(`SELECT ${inZone} AT TIME ZONE 'UTC', CAST(${inZone} AS TIMESTAMP)`);
        expect(rows[0]?.[0]).toBe(iso(utc));
      }
      // The last moment before the hour that is repeated, and the first one after it.
      const [before, after] = [addHours(first, -0.5), addHours(second, 0.5)];
      for (const utc of [new Date(before.getTime() - 1), after]) {
        const text = utc.toISOString().replace("T", " ").replace("Z", " UTC");
        const { rows } = await read(`SELECT TIMESTAMP '${text}' AT TIME ZONE '${zone}'`);
        expect(new Date(String(rows[0]?.[0]))).toEqual(utc);
      }
    },
  );

  test("refuses values for EXPLAIN", async () => {
    const { text, values } = compile("trino", "EXPLAIN SELECT {{a}}", { a: ["integer", 1] });
    expect(await hosts.run({ ...request(""), statement: { text, values } })).toMatchObject({
      failure: { message: expect.stringContaining("takes no placeholders") },
    });
    expect(await hosts.run(request("EXPLAIN SELECT 1;"))).toMatchObject({ kind: "completed" });
  });

  test("reads other catalogs by their full names, and says how many rows it read", async () => {
    expect(await hosts.run(request("SELECT count(*) FROM tpch.tiny.orders"))).toMatchObject({
      kind: "completed",
      rowCount: 1,
      rowsRead: 15_000,
    });
  });

  test("reports the progress of the cluster before there is a row", async () => {
    const seen: EngineProgress[] = [];
    const onProgress = (_: number, engine?: EngineProgress) => void (engine && seen.push(engine));
    const sql = "SELECT count(*) FROM tpch.\"sf0.1\".lineitem WHERE comment LIKE '%x%x%'";
    expect(await hosts.run(request(sql), { onProgress })).toMatchObject({ rowsRead: 600_572 });
    expect(seen.at(-1)).toMatchObject({ state: "FINISHED", rowsRead: 600_572 });
    expect(seen.map(({ state }) => state)).toContain("RUNNING");
    expect(seen.at(-1)?.totalSplits).toBeGreaterThan(0);
    const rowsRead = seen.map((progress) => progress.rowsRead);
    expect(rowsRead).toEqual(rowsRead.toSorted((a, b) => a - b));
  });

  test("reports as its last progress what its result says, also of a result that is cut", async () => {
    for (const sql of ["SELECT count(*) FROM tpch.tiny.orders", "SELECT custkey FROM tpch.sf1.customer"]) {
      let last: EngineProgress | undefined;
      const onProgress = (_: number, engine?: EngineProgress) => {
        last = engine ?? last;
      };
      const outcome = await hosts.run({ ...request(sql), limits: { rows: 100 } }, { onProgress });
      expect(outcome).toMatchObject({ kind: "completed", rowsRead: last?.rowsRead });
    }
  });

  test("never reports fewer rows than before, whatever the server says", async () => {
    const counts = [0, 500, undefined, 200, 700, 600];
    let asked = 0;
    const port = await listen(({ method, url = "", headers }, response) => {
      if (method === "DELETE") return void response.writeHead(204).end();
      const isQuery = url !== "/v1/statement" || asked > 0;
      if (!isQuery) asked++;
      const count = counts[asked - 1];
      const nextUri = `http://${headers.host}/v1/statement/executing/x/${asked}`;
      const column = { name: "a", type: "bigint", typeSignature: { rawType: "bigint", arguments: [] } };
      const page = {
        id: "x",
        stats: { state: "RUNNING", processedRows: count },
        columns: [column],
        ...(asked++ < counts.length && { nextUri }),
      };
      response.setHeader("X-Trino-Started-Transaction-Id", "t").end(JSON.stringify(page));
    });
    const seen: number[] = [];
    const onProgress = (_: number, engine?: EngineProgress) => void (engine && seen.push(engine.rowsRead));
    const outcome = await hosts.run(request("SELECT 1", trinoDatabase({ port })), { onProgress });
    expect(outcome).toMatchObject({ kind: "completed", rowsRead: 700 });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(700);
  });

  test("ends a query on the cluster when its result is truncated", async () => {
    const outcome = await hosts.run({
      ...request("SELECT orderkey, 'cut short' FROM tpch.sf100.lineitem"),
      limits: { rows: 10 },
    });
    expect(outcome).toMatchObject({ kind: "completed", rowCount: 10, cutBy: "rows" });
    await vi.waitFor(async () => expect(await runningWith("cut short")).toBe(0), { timeout: 60_000 });
  });

  test("lists a schema page by page", async () => {
    const tables = await hosts.listTables({
      organizationId,
      database: trinoDatabase({ catalog: "tpch", schema: "tiny" }),
      schema: "sf1",
      after: "lineitem",
    });
    expect(tables.map(({ schema, name }) => `${schema}.${name}`)).toEqual(
      ["nation", "orders", "part", "partsupp", "region", "supplier"].map((name) => `sf1.${name}`),
    );
  });

  test("warns if its user can read the catalog system", async () => {
    const { warnings } = await hosts.testConnection({ organizationId, database: trinoDatabase() });
    expect(warnings).toEqual([expect.stringContaining("catalog system")]);
  });

  test("requests no address but its server's, whatever the server returns", async () => {
    const asked: string[] = [];
    const elsewhere = await listen((incoming, response) => {
      asked.push(incoming.url ?? "");
      response.end("{}");
    });
    const target = `http://127.0.0.1:${elsewhere}`;
    for (const [status, body] of [
      [200, { id: "x", nextUri: `${target}/v1/statement/x`, stats: {} }],
      [307, {}],
    ] as const) {
      const port = await listen((_, response) => {
        response.writeHead(status, { Location: `${target}/` }).end(JSON.stringify(body));
      });
      expect(await hosts.run(request("SELECT 1", trinoDatabase({ port })))).toMatchObject({
        failure: { code: "database_unreachable" },
      });
    }
    expect(asked).toEqual([]);
  });

  test("never shows credentials that a server returns in an error", async () => {
    const token = "a-token-that-nobody-may-see";
    const password = "a password that nobody may see";
    for (const credentials of [
      { kind: "token", token },
      { kind: "password", password },
    ] as const) {
      const port = await listen(({ headers }, response) => {
        response.writeHead(401).end(`Refused ${headers.authorization}`);
      });
      const outcome = await hosts.run(request("SELECT 1", trinoDatabase({ port, credentials })));
      expect(outcome).toMatchObject({
        failure: {
          code: "database_credentials_refused",
          message: expect.stringMatching(/Refused (Basic|Bearer) …/),
        },
      });
    }
  });

  test("leaves out NUL characters in an error of its server, because a run cannot store them", async () => {
    const port = await listen((_, response) => response.writeHead(401).end("left\0right"));
    expect(await hosts.run(request("SELECT 1", trinoDatabase({ port })))).toMatchObject({
      failure: { message: expect.stringContaining("leftright") },
    });
  });
});

describe.skipIf(!ownsTrino)("credentials for Trino", () => {
  useTrino();

  const overTls = (change: Partial<TrinoConfiguration>) => {
    const { httpsUrl, secrets } = runningCluster();
    return trinoDatabase({
      host: "localhost",
      port: Number(new URL(httpsUrl).port),
      tls: "verify",
      tlsCertificateAuthority: secrets?.certificateAuthority ?? "",
      user: signedInUser,
      ...change,
    });
  };
  const whoAmI = (database: Database) => hosts.run(request("SELECT current_user", database));

  test("can be a password, which must be right", async () => {
    const password = runningCluster().secrets?.password ?? "";
    expect(await whoAmI(overTls({ credentials: { kind: "password", password } }))).toMatchObject({
      kind: "completed",
    });
    expect(await whoAmI(overTls({ credentials: { kind: "password", password: "wrong" } }))).toMatchObject({
      failure: { code: "database_credentials_refused" },
    });
    expect(await whoAmI(overTls({ credentials: { kind: "none" } }))).toMatchObject({
      failure: { code: "database_credentials_refused" },
    });
  });

  test("can be a token", async () => {
    const secret = Buffer.from(runningCluster().secrets?.tokenSecret ?? "", "base64");
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const signed = `${encode({ alg: "HS256" })}.${encode({ sub: signedInUser })}`;
    const token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
    expect(await whoAmI(overTls({ credentials: { kind: "token", token } }))).toMatchObject({
      kind: "completed",
    });
    expect(await whoAmI(overTls({ credentials: { kind: "token", token: `${token}x` } }))).toMatchObject({
      failure: { code: "database_credentials_refused" },
    });
  });

  test("are sent to no server without a trusted certificate", async () => {
    const password = runningCluster().secrets?.password ?? "";
    const credentials = { kind: "password" as const, password };
    const untrusted = overTls({ credentials });
    if (untrusted.engine === "trino") delete untrusted.configuration.tlsCertificateAuthority;
    expect(await whoAmI(untrusted)).toMatchObject({
      failure: { code: "database_unreachable", message: expect.stringMatching(/certificate/) },
    });
    expect(await whoAmI(overTls({ credentials, host: "127.0.0.1", tls: "require" }))).toMatchObject({
      kind: "completed",
    });
  });
});

/** Starts a server for this test and returns its port. */
async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

const addHours = (utc: string, hours: number) => new Date(Date.parse(`${utc}Z`) + hours * 3_600_000);

async function runningWith(text: string): Promise<number> {
  const rows = await runInTrino(
    `SELECT 1 FROM system.runtime.queries WHERE source = 'querybell' AND state NOT IN ('FINISHED', 'FAILED') AND query LIKE '%${text}%'`,
  );
  return rows.length;
}
