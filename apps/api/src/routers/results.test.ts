import { gunzipSync } from "node:zlib";
import { updateSettings } from "@querybell/core/organizations";
import { purgeExpiredResults } from "@querybell/core/retention";
import { runQuery } from "@querybell/core/runs";
import { createParquetReader, execute, type TestEngine } from "@querybell/core/testing";
import type { Caller } from "@querybell/domain";
import { describe, expect, onTestFinished } from "vitest";
import { apiTest } from "../testing/api-test.ts";

const test = apiTest.extend("resultOf", { scope: "file" }, ({ api, make, makeKey, deps }) => {
  /** Runs a statement and returns functions that request its result. */
  return async (owner: Caller, sql: string, engine: TestEngine = "duckdb") => {
    const { key } = await makeKey(owner);
    const { id } = await make.query(owner, sql, { engine });
    const run = await runQuery(deps, owner, { id, parameterValues: {} });
    await execute(deps, run.id);
    const get = (ending = "", headers: Record<string, string> = {}) =>
      api.fetch(`/api/runs/${run.id}/result${ending}`, {
        headers: { authorization: `Bearer ${key}`, "accept-encoding": "identity", ...headers },
      });
    return { runId: run.id, get };
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

  test("is in the audit log each time it is downloaded as a file", async ({ make, resultOf, deps }) => {
    const owner = await make.owner();
    const { get, runId } = await resultOf(owner, "SELECT 1 AS a");
    await (await get()).text();
    const etag = (await get(".csv")).headers.get("etag") ?? "";
    for (const ending of [".json", ".parquet"]) await (await get(ending)).arrayBuffer();
    expect((await get(".csv", { "if-none-match": etag })).status).toBe(304);
    const entries = await deps.db.prisma.auditEntry.findMany({
      where: { organizationId: owner.organizationId, action: "result.downloaded" },
      orderBy: { id: "asc" },
    });
    expect(entries.map(({ detail }) => detail)).toEqual(
      ["csv", "json", "parquet"].map((format) => ({ runId, format, rows: 1 })),
    );
    expect(entries[0]).toMatchObject({ actorUserId: owner.userId, keyId: expect.any(String) });
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

  test("that has expired, and then is removed, is no longer sent", async ({
    make,
    resultOf,
    clock,
    deps,
  }) => {
    const owner = await make.owner();
    await updateSettings(deps, owner, { resultLifetimeSeconds: 60 });
    const { get, runId } = await resultOf(owner, "SELECT 1");
    await clock.advance(59_999);
    expect((await get()).status).toBe(200);
    await clock.advance(1);
    const expectExpired = async () => {
      const answer = await get();
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        code: "result_expired",
        detail: expect.stringContaining("Refresh"),
      });
    };
    await expectExpired();
    await purgeExpiredResults(deps);
    expect(await deps.db.prisma.queryResult.count({ where: { runId } })).toBe(0);
    await expectExpired();
  });

  test("that has expired is sent to the page of its chart, while it is kept, and to no API key", async ({
    make,
    makeKey,
    resultOf,
    clock,
    deps,
    api,
  }) => {
    const owner = await make.owner();
    const stranger = await make.owner();
    await updateSettings(deps, owner, { resultLifetimeSeconds: 60, expiredResultDays: 1 });
    const { get, runId } = await resultOf(owner, "SELECT 1 AS one");
    const { key } = await makeKey(owner);
    const statusFor = async (headers: Record<string, string>) =>
      (await api.fetch(`/api/runs/${runId}/expired-result`, { headers })).status;
    await clock.advance(60_000);
    const cookie = await api.sessionCookie(owner.email);
    expect((await get()).status).toBe(404);
    const answer = await api.fetch(`/api/runs/${runId}/expired-result`, { headers: { cookie } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { rows: [[1]] }]);
    expect(await statusFor({})).toBe(401);
    expect(await statusFor({ authorization: `Bearer ${key}` })).toBe(403);
    expect(await statusFor({ cookie: await api.sessionCookie(stranger.email) })).toBe(404);
    await clock.advance(86_400_000);
    expect(await statusFor({ cookie: await api.sessionCookie(owner.email) })).toBe(404);
  });

  test("of no successful run is not found, with the reason", async ({ make, resultOf, api }) => {
    const owner = await make.owner();
    const { get } = await resultOf(owner, "SELECT * FROM nowhere");
    const answer = await get();
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: "result_not_found",
      detail: expect.stringContaining("nowhere"),
    });
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
