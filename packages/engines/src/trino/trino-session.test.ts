import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { EngineProgress } from "@querybell/domain";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Database } from "../databases.ts";
import { createEngineHosts, type RunRequest } from "../index.ts";
import { compile, type Parameters } from "../testing/bound-and-rendered.ts";
import { contextOf, dataFolder } from "../testing/real-databases.ts";
import { resolveAnyHost } from "../testing/resolve-any-host.ts";
import { signedInUser } from "../testing/trino/cluster-files.ts";
import { hasTrino, ownsTrino } from "../testing/trino/test-cluster.ts";
import {
  runInTrino,
  runningCluster,
  trinoDatabase,
  trinoSchema,
  useTrino,
} from "../testing/trino/trino-database.ts";
import { openReadOnly } from "./connect-trino.ts";
import type { TrinoConfiguration } from "./trino-engine.ts";

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

  test("writes nothing even without validation", async () => {
    await runInTrino(`CREATE TABLE memory.${trinoSchema}.kept AS SELECT 1 AS a`);
    const database = trinoDatabase();
    for (const text of ["INSERT INTO kept VALUES 2", "DROP TABLE kept", "CREATE TABLE more (a bigint)"]) {
      expect(await hosts.run(request(text)), text).toMatchObject({
        failure: { code: "query_failed", message: expect.stringMatching(/^A query can only read/) },
      });
      if (database.engine !== "trino") throw new Error("This is no Trino.");
      const { http, client } = await openReadOnly(database.configuration, contextOf(database));
      onTestFinished(() => http.close());
      let page = await client.post(text);
      while (page.nextUri) page = await client.next(page.nextUri);
      expect(page.error?.errorName, text).toBe("READ_ONLY_VIOLATION");
    }
    expect(await runInTrino(`SELECT a FROM memory.${trinoSchema}.kept`)).toEqual([[1]]);
    expect(await runInTrino(`SHOW TABLES FROM memory.${trinoSchema}`)).toEqual([["kept"]]);
  });

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
    const sql = "SELECT count(*) FROM tpch.sf1.lineitem WHERE comment LIKE '%x%x%'";
    expect(await hosts.run(request(sql), { onProgress })).toMatchObject({ rowsRead: 6_001_215 });
    expect(seen.map(({ state }) => state)).toContain("RUNNING");
    expect(seen.at(-1)?.totalSplits).toBeGreaterThan(0);
    const rowsRead = seen.map((progress) => progress.rowsRead);
    expect(rowsRead).toEqual(rowsRead.toSorted((a, b) => a - b));
    expect(rowsRead.at(-1)).toBeGreaterThan(0);
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

/** A server of this test's own; gives its port. */
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

async function runningWith(text: string): Promise<number> {
  const rows = await runInTrino(
    `SELECT 1 FROM system.runtime.queries WHERE source = 'querybell' AND state NOT IN ('FINISHED', 'FAILED') AND query LIKE '%${text}%'`,
  );
  return rows.length;
}
