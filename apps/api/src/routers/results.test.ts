import { gunzipSync } from "node:zlib";
import { purgeExpiredResults } from "@querybell/core/retention";
import type { Caller } from "@querybell/domain";
import type { TestEngine } from "@querybell/core/testing";
import { describe, expect, onTestFinished } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { createParquetReader } from "../testing/parquet-reader.ts";
import { execute } from "@querybell/core/testing";

const test = apiTest.extend("resultOf", { scope: "file" }, ({ api, make, makeKey, deps }) => {
  /** Runs a statement and returns functions that request its result. */
  return async (owner: Caller, sql: string, engine: TestEngine = "duckdb") => {
    const { key } = await makeKey(owner);
    const client = api.withKey(key);
    const { id } = await make.query(owner, sql, { engine });
    const run = await client.queries.run.mutate({ id });
    await execute(deps, run.id);
    const get = (ending = "", headers: Record<string, string> = {}) =>
      api.fetch(`/api/runs/${run.id}/result${ending}`, {
        headers: { authorization: `Bearer ${key}`, "accept-encoding": "identity", ...headers },
      });
    return { queryId: id, runId: run.id, client, get };
  };
});

describe("a result", () => {
  test("comes back in the published shape, nothing rounded", async ({ make, resultOf }) => {
    const sql = "SELECT 9007199254740993 AS big, 1.10::DECIMAL(9,2) AS price, NULL AS nothing, 'é\"' AS big";
    const { get } = await resultOf(await make.owner(), sql);
    const answer = await get();
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await answer.json()).toEqual({
      fields: [
        { name: "big", type: "integer" },
        { name: "price", type: "decimal" },
        { name: "nothing", type: expect.any(String) },
        { name: "big", type: "string" },
      ],
      rows: [["9007199254740993", "1.10", null, 'é"']],
      rowCount: 1,
    });
  });

  test("is served as the stored bytes to clients that accept gzip", async ({ make, resultOf, deps }) => {
    const { get, runId } = await resultOf(await make.owner(), "SELECT * FROM range(1000)");
    const { gzippedJson } = await deps.db.prisma.queryResult.findUniqueOrThrow({ where: { runId } });
    for (const accepted of ["gzip", "br;q=1.0, gzip;q=0.5", "*"]) {
      const answer = await get("", { "accept-encoding": accepted });
      expect(answer.headers.get("content-encoding")).toBe("gzip");
      expect(answer.headers.get("content-length")).toBe(String(gzippedJson.length));
      expect(await answer.text()).toBe(gunzipSync(gzippedJson).toString());
    }
    for (const unaccepted of ["identity", "gzip;q=0", "br"]) {
      const answer = await get("", { "accept-encoding": unaccepted });
      expect(answer.headers.get("content-encoding")).toBeNull();
      expect(await answer.text()).toBe(gunzipSync(gzippedJson).toString());
    }
  });

  test("of a query is that of the completed run that was created last, whichever ended last", async ({
    api,
    make,
    makeKey,
    deps,
  }) => {
    const owner = await make.owner();
    const client = api.withKey((await makeKey(owner)).key);
    const { id } = await make.query(owner, "SELECT {{n}} AS n", { engine: "duckdb" });
    const n = { name: "n", displayName: "N", type: "integer" as const, description: "" };
    const { shortId } = await (await api.signedIn(owner)).references.create.mutate({ queryId: id });
    await (await api.signedIn(owner)).references.update.mutate({ shortId, parameters: [n] });
    const older = await client.queries.run.mutate({ id, parameterValues: { n: 1 } });
    const newer = await client.queries.run.mutate({ id, parameterValues: { n: 2 } });
    await execute(deps, newer.id);
    await execute(deps, older.id);
    expect((await client.queries.result.query({ id })).runId).toBe(newer.id);
    expect((await client.queries.get.query({ id })).latestRun?.id).toBe(newer.id);
  });

  test("is not sent again to a client that has it", async ({ make, resultOf }) => {
    const { get } = await resultOf(await make.owner(), "SELECT 1");
    for (const [ending, headers] of [
      ["", {}],
      ["", { "accept-encoding": "gzip" }],
      [".csv", {}],
      [".parquet", {}],
    ] as const) {
      const first = await get(ending, headers);
      const etag = first.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await get(ending, { ...headers, "if-none-match": known });
        expect([again.status, await again.text()]).toEqual([304, ""]);
        expect(again.headers.get("etag")).toBe(etag);
      }
      expect((await get(ending, { ...headers, "if-none-match": '"other"' })).status).toBe(200);
      expect(first.headers.get("cache-control")).toBe("private, no-cache");
    }
  });

  test("is downloaded as CSV without ambiguous values", async ({ make, resultOf }) => {
    const sql = `SELECT * FROM (VALUES
      (1, 'plain', true), (2, 'comma, "quote"', NULL), (3, E'two\\nlines', false), (4, '', true), (5, NULL, true)
    ) t(n, "te,xt", flag) ORDER BY n`;
    const { get, runId } = await resultOf(await make.owner(), sql, "postgres");
    const answer = await get(".csv");
    expect(answer.headers.get("content-type")).toContain("text/csv");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="result-${runId}.csv"`);
    expect(await answer.text()).toBe(
      [
        'n,"te,xt",flag',
        "1,plain,true",
        '2,"comma, ""quote""",',
        '3,"two\nlines",false',
        '4,"",true',
        "5,,true",
        "",
      ].join("\r\n"),
    );
    const json = await get(".json");
    expect(json.headers.get("content-disposition")).toBe(`attachment; filename="result-${runId}.json"`);
    expect(await json.json()).toMatchObject({ rowCount: 5 });
  });

  test("with many rows and nested values becomes CSV whole, and an empty one its header", async ({
    make,
    resultOf,
  }) => {
    const owner = await make.owner();
    const many = await resultOf(
      owner,
      `SELECT range AS n, [range, {'a': '[{"'}] AS nested FROM range(20000)`.replace("[range, ", "["),
    );
    const lines = (await (await many.get(".csv")).text()).split("\r\n");
    expect(lines).toHaveLength(20_002);
    expect(lines.slice(0, 2)).toEqual(["n,nested", '0,"[{""a"":""[{\\""""}]"']);
    expect(lines[20_000]).toMatch(/^19999,/);
    const none = await resultOf(owner, "SELECT 1 AS one WHERE false");
    expect(await (await none.get(".csv")).text()).toBe("one\r\n");
  });

  test("is downloaded as Parquet with the types of its columns", async ({ make, resultOf }) => {
    const reader = await createParquetReader();
    const owner = await make.owner();
    const sql = `SELECT * FROM (VALUES
      (1::bigint, 12.30::numeric(10,2), true, 'a', DATE '2024-02-29', TIMESTAMP '2024-02-29 10:00:00.5',
        '2024-02-29 10:00:00+02'::timestamptz, TIME '10:00:00.5', ARRAY[1, NULL], 'NaN'::float8, '\\x00ff'::bytea),
      (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    ) t(i, d, b, s, day, local, at, clock, list, f, bytes)`;
    const { get, runId } = await resultOf(owner, sql, "postgres");
    const answer = await get(".parquet");
    expect(answer.headers.get("content-type")).toBe("application/vnd.apache.parquet");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="result-${runId}.parquet"`);
    const { columns, values } = await reader.read(await answer.bytes());
    expect(columns.map(({ name, type }, at) => [name, type, ...(values[at] ?? [])])).toEqual([
      ["i", "BIGINT", "1", null],
      ["d", "DECIMAL(4,2)", "12.30", null],
      ["b", "BOOLEAN", "true", null],
      ["s", "VARCHAR", "a", null],
      ["day", "DATE", "2024-02-29", null],
      ["local", "TIMESTAMP", "2024-02-29 10:00:00.5", null],
      ["at", "TIMESTAMP WITH TIME ZONE", "2024-02-29 08:00:00+00", null],
      ["clock", "TIME", "10:00:00.5", null],
      ["list", "JSON", "[1,null]", null],
      ["f", "DOUBLE", "nan", null],
      ["bytes", "BLOB", "AP8=", null],
    ]);
    const none = await resultOf(owner, "SELECT 1 AS one WHERE false");
    const empty = await reader.read(await (await none.get(".parquet")).bytes());
    expect(empty).toEqual({ columns: [{ name: "one", type: "BIGINT" }], values: [[]] });
    reader.close();
  });

  test("that cannot be written as Parquet is refused, without a file", async ({ make, resultOf }) => {
    const { get } = await resultOf(await make.owner(), "SELECT repeat('x', 5000000) AS large");
    const answer = await get(".parquet");
    expect(answer.headers.get("content-disposition")).toBeNull();
    expect([answer.status, await answer.json()]).toMatchObject([413, { code: "payload_too_large" }]);
  });

  test("that cannot be read is refused, without a file", async ({ make, resultOf, deps }) => {
    const { get } = await resultOf(await make.owner(), "SELECT 1");
    const rename = (from: string, to: string) =>
      deps.db.pool.query(`ALTER TABLE query_results RENAME COLUMN ${from} TO ${to}`);
    await rename("gzipped_json", "unreadable");
    onTestFinished(() => void rename("unreadable", "gzipped_json"));
    for (const ending of ["", ".json", ".csv", ".parquet"]) {
      const { status, headers } = await get(ending);
      const ofFile = ["content-disposition", "etag"].map((name) => headers.get(name));
      expect([ending, status, ...ofFile]).toEqual([ending, 500, null, null]);
    }
  });

  test("that is larger than its run said, as a hostile engine host can write it, is not sent whole", async ({
    make,
    resultOf,
    deps,
  }) => {
    const { get, runId } = await resultOf(await make.owner(), "SELECT 1 AS a");
    await deps.db.pool.query("UPDATE query_results SET json_bytes = json_bytes - 1 WHERE run_id = $1", [
      runId,
    ]);
    for (const ending of ["", ".json", ".csv", ".parquet"]) {
      const whole = get(ending).then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)));
      await expect(whole, ending).rejects.toBeDefined();
    }
  });

  test("expires after the organization's lifetime and is then removed", async ({
    make,
    resultOf,
    clock,
    deps,
    api,
  }) => {
    const owner = await make.owner();
    await (await api.signedIn(owner)).settings.update.mutate({ resultLifetimeSeconds: 60 });
    const { get, queryId, client, runId } = await resultOf(owner, "SELECT 1");
    await clock.advance(59_999);
    expect((await get()).status).toBe(200);
    expect(await client.queries.result.query({ id: queryId })).toMatchObject({ runId, rowCount: 1 });
    expect(await purgeExpiredResults(deps)).toBe(0);
    await clock.advance(1);
    const expectExpired = async () => {
      const answer = await get();
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        code: "result_expired",
        detail: expect.stringContaining("Refresh"),
      });
      await expect(client.queries.result.query({ id: queryId })).rejects.toEqual(apiError("result_expired"));
    };
    await expectExpired();
    expect(await purgeExpiredResults(deps)).toBeGreaterThan(0);
    expect(await deps.db.prisma.queryResult.count({ where: { runId } })).toBe(0);
    await expectExpired();
  });

  test("is kept for each set of values, and the newest replaces the one before", async ({
    make,
    api,
    deps,
  }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const parameters = [{ name: "n", displayName: "N", type: "integer" as const, description: "" }];
    const { id } = await make.query(owner, "SELECT {{n}}", { parameters });
    const run = async (n: number) => {
      const made = await client.queries.run.mutate({ id, parameterValues: { n } });
      await execute(deps, made.id);
      return made.id;
    };
    const [one, two] = [await run(1), await run(2)];
    const result = (n: number) => client.queries.result.query({ id, parameterValues: { n } });
    expect([await result(1), await result(2)]).toMatchObject([{ runId: one }, { runId: two }]);
    await expect(result(3)).rejects.toEqual(apiError("result_not_found"));
    const newer = await run(1);
    expect(await result(1)).toMatchObject({ runId: newer });
    expect(await client.queries.result.query({ id })).toMatchObject({ runId: newer });
    await expect(client.runs.result.query({ id: one })).rejects.toEqual(apiError("result_expired"));
  });

  test("of no successful run is not found, with the reason", async ({ make, resultOf, api }) => {
    const owner = await make.owner();
    const { get, client, queryId } = await resultOf(owner, "SELECT * FROM nowhere");
    const answer = await get();
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: "result_not_found",
      detail: expect.stringContaining("nowhere"),
    });
    await expect(client.queries.result.query({ id: queryId })).rejects.toEqual(
      apiError("result_not_found", /Run or refresh/),
    );
    const cookie = await api.sessionCookie(owner.email);
    const noId = await api.fetch("/api/runs/not-a-uuid/result", { headers: { cookie } });
    expect(noId.status).toBe(400);
  });

  test("requires access to the query", async ({ make, makeKey, resultOf, api }) => {
    const { runId } = await resultOf(await make.owner(), "SELECT 1");
    const { key: blind } = await makeKey(await make.owner(), { scopes: ["queries:run"] });
    const { key: stranger } = await makeKey(await make.owner());
    for (const ending of ["", ".json", ".csv", ".parquet"]) {
      const get = (headers: Record<string, string>) =>
        api.fetch(`/api/runs/${runId}/result${ending}`, { headers });
      expect((await get({})).status).toBe(401);
      expect((await get({ authorization: `Bearer ${blind}` })).status).toBe(403);
      expect((await get({ authorization: `Bearer ${stranger}` })).status).toBe(404);
    }
  });
});
