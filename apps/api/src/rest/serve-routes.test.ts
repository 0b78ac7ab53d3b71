import { randomUUID } from "node:crypto";
import { changeRun, execute, toRunning } from "@querybell/core/testing";
import { Scope } from "@querybell/domain";
import { describe, expect } from "vitest";
import { procedures } from "../api-reference/procedures.ts";
import { restTest as test } from "../testing/rest-test.ts";
import { restRoutes } from "./route-table.ts";

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const problem = (status: number, code: string, more = {}) => ({
  status,
  body: { type: "about:blank", title: expect.any(String), status, detail: expect.any(String), code, ...more },
});

describe("references", () => {
  test("are created, listed, retrieved, updated and deleted in the published shapes", async ({
    rest,
    make,
  }) => {
    const { owner, call, signIn } = await rest.start();
    const client = await signIn();
    const query = await make.query(owner, "SELECT {{since}}");
    const created = await call("/api/queries/refs", { method: "POST", body: { queryId: query.id } });
    const base = {
      id: uuid,
      shortId: expect.stringMatching(/^[2-9a-hjkmnp-z]{10}$/),
      title: "Untitled query",
      description: null,
      isOptimistic: false,
      createdBy: owner.userId,
      createdAt: timestamp,
      updatedAt: timestamp,
      currentQuery: { id: query.id, sql: "SELECT {{since}}" },
    };
    expect(created).toMatchObject({ status: 201, body: base });
    expect(Object.keys(created.body)).toEqual(Object.keys(base));
    expect(created.headers.get("content-type")).toMatch(/^application\/json/);
    const { shortId, id } = created.body;
    const path = `/api/queries/refs/${shortId}`;

    expect(await call("/api/queries/refs")).toMatchObject({ status: 200, body: { items: [created.body] } });
    expect(await call(path)).toMatchObject({ status: 200, body: { ...created.body, parameters: [] } });

    const since = { name: "since", displayName: "Since", defaultValue: "today", description: "" };
    const parameters = [{ ...since, type: "date" as const }];
    const visualization = {
      type: "line" as const,
      jsxConfig: "<LineChart />",
      marginConfig: { top: 1, right: 2, bottom: 3, left: 4 },
    };
    await client.references.update.mutate({ shortId, parameters, visualization });
    expect((await call(path)).body).toMatchObject({ parameters, visualization });
    expect(Object.keys((await call("/api/queries/refs")).body.items[0])).toEqual(Object.keys(base));

    const updated = await call(path, { method: "PUT", body: { title: "  Sales ", description: "By day" } });
    expect(updated).toMatchObject({ status: 200, body: { title: "Sales", description: "By day" } });
    expect(Object.keys(updated.body)).toEqual(Object.keys(base));
    const emptied = await call(path, { method: "PUT", body: { description: null } });
    expect(emptied.body).toMatchObject({ title: "Sales", description: null });
    expect((await call(path, { method: "PUT", body: {} })).body).toMatchObject({ title: "Sales" });

    const deleted = await call(path, { method: "DELETE" });
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({
      id,
      shortId,
      title: "Sales",
      description: null,
      queryId: query.id,
      createdAt: timestamp,
      updatedAt: timestamp,
      deletedAt: timestamp,
    });
    for (const method of ["GET", "PUT", "DELETE"]) {
      const body = method === "PUT" ? { body: { title: "Back" } } : {};
      expect(await call(path, { method, ...body })).toMatchObject(problem(404, "not_found"));
    }
    expect((await call("/api/queries/refs")).body).toEqual({ items: [] });
    expect((await call(`/api/queries/${query.id}`)).status).toBe(200);
  });

  test("that wait for their query do not exist here", async ({ rest, make }) => {
    const { owner, call, signIn } = await rest.start();
    const client = await signIn();
    const { shortId } = await client.references.createOptimistic.mutate({ title: "Soon" });
    const path = `/api/queries/refs/${shortId}`;
    const calls = [
      () => call(path),
      () => call(path, { method: "PUT", body: {} }),
      () => call(path, { method: "DELETE" }),
    ];
    for (const ask of calls) expect(await ask()).toMatchObject(problem(404, "not_found"));
    expect((await call("/api/queries/refs")).body).toEqual({ items: [] });
    const { id: queryId } = await make.query(owner, "SELECT 1");
    await client.references.attach.mutate({ shortId, queryId });
    expect((await call(path)).body).toMatchObject({ shortId, isOptimistic: false });
    expect((await call("/api/queries/refs")).body.items).toHaveLength(1);
  });
});

describe("queries", () => {
  test("are listed and retrieved with their latest run, refreshed, and give their result", async ({
    rest,
    make,
    deps,
    clock,
  }) => {
    const { owner, call } = await rest.start();
    const { id } = await make.query(owner, "SELECT name, weight FROM fruits ORDER BY name");
    const base = {
      id,
      sql: expect.any(String),
      analyticalDatabaseConfigId: uuid,
      createdBy: owner.userId,
      createdAt: timestamp,
      updatedAt: timestamp,
    };
    const path = `/api/queries/${id}`;
    expect((await call("/api/queries")).body).toEqual({ items: [{ ...base, latestRun: null }] });
    expect((await call(path)).body).toEqual({ ...base, latestRun: null, latestRunMetadata: null });
    expect(await call(`${path}/result`)).toMatchObject(problem(404, "result_not_found"));

    const refreshed = await call(`${path}/refresh`, { method: "POST" });
    expect(refreshed.status).toBe(200);
    const run = refreshed.body;
    expect(run).toEqual({
      id: uuid,
      queryId: id,
      status: "pending",
      runAt: timestamp,
      triggerId: expect.stringMatching(/^key:/),
      parameterValues: {},
      renderedSql: expect.any(String),
    });
    const busy = problem(409, "query_already_running", { detail: expect.stringMatching(/already running/) });
    expect(await call(`${path}/refresh`, { method: "POST", body: {} })).toMatchObject(busy);
    expect((await call("/api/queries")).body.items[0].latestRun).toEqual({
      id: run.id,
      status: "pending",
      runAt: run.runAt,
    });
    expect((await call(path)).body).toMatchObject({
      latestRun: { status: "pending", completedAt: null },
      // The published type of the counts is integer, also before there is anything to count.
      latestRunMetadata: { status: "pending", rowsRead: 0, rowsWritten: 0 },
    });
    await execute(deps, run.id);
    expect((await call(path)).body).toEqual({
      ...base,
      latestRun: { id: run.id, status: "completed", runAt: run.runAt, completedAt: timestamp },
      latestRunMetadata: { status: "completed", rowsRead: expect.any(Number), rowsWritten: 2 },
    });
    expect(Object.keys((await call("/api/queries")).body.items[0].latestRun)).toEqual([
      "id",
      "status",
      "runAt",
    ]);

    const result = await call(`${path}/result`);
    expect(result).toMatchObject({ status: 200 });
    expect(result.body).toEqual({
      fields: [
        { name: "name", type: "string" },
        { name: "weight", type: "integer" },
      ],
      rows: [
        ["apple", 3],
        ["pear", 5],
      ],
      rowCount: 2,
    });
    const head = await call(`${path}/result`, { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: undefined });

    const next = await call(`${path}/refresh`, {
      method: "POST",
      body: "",
      headers: { "content-type": "text/plain" },
    });
    expect(next.status).toBe(200);
    await changeRun(deps, next.body.id, toRunning);
    expect(await call(`${path}/refresh`, { method: "POST" })).toMatchObject(busy);
    expect((await call(`${path}/result`)).status).toBe(200);
    await clock.advance(24 * 3_600_000);
    const expired = problem(404, "result_expired", { detail: expect.stringMatching(/[Rr]efresh/) });
    expect(await call(`${path}/result`)).toMatchObject(expired);
  });

  test("whose placeholder has no value cannot be refreshed", async ({ rest, make }) => {
    const { owner, call } = await rest.start();
    const { id } = await make.query(owner, "SELECT {{x}}");
    const refused = await call(`/api/queries/${id}/refresh`, { method: "POST" });
    expect(refused).toMatchObject(problem(422, "missing_parameter_values"));
  });
});

test("every route has the scope of the procedure that does the same", () => {
  for (const { path, procedure, scope } of restRoutes) {
    expect(procedures.find((one) => one.path === procedure)?.scope, path).toBe(scope);
  }
});

describe("a page", () => {
  test("has 20 items or as many as asked for, and the last one no cursor", async ({ rest, make }) => {
    const { owner, call } = await rest.start();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    for (let count = 0; count < 21; count++) {
      await call("/api/queries/refs", { method: "POST", body: { queryId } });
    }
    const first = (await call("/api/queries/refs")).body;
    expect(first.items).toHaveLength(20);
    expect(first.nextCursor).toEqual(expect.any(String));
    const [added, edited] = [first.items[0], first.items[1]];
    await call("/api/queries/refs", { method: "POST", body: { queryId } });
    await call(`/api/queries/refs/${added.shortId}`, { method: "DELETE" });
    await call(`/api/queries/refs/${edited.shortId}`, { method: "PUT", body: { title: "Edited" } });
    const start = (await call("/api/queries/refs?limit=1")).body;
    expect(start.items[0].title).toBe("Untitled query");
    const last = (await call(`/api/queries/refs?limit=100&cursor=${first.nextCursor}`)).body;
    expect(Object.keys(last)).toEqual(["items"]);
    expect(last.items).toHaveLength(1);
    expect((await call("/api/queries/refs?limit=100")).body.items).toHaveLength(21);
  });

  test.for([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=1e1",
    "limit=",
    "limit=ten",
    "limit=5&limit=6",
    "offset=0",
    "offset=20",
    "page=2",
    "sort=title",
  ])("is refused with ?%s", async (query, { rest }) => {
    const { call } = await rest.start();
    for (const list of ["/api/queries", "/api/queries/refs"]) {
      const answer = await call(`${list}?${query}`);
      expect(answer).toMatchObject(problem(400, "invalid_request"));
      expect(answer.body.errors).toHaveLength(1);
    }
  });
});

describe("a request", () => {
  test.for<[what: string, method: string, path: string, body: unknown]>([
    ["no body", "POST", "/api/queries/refs", undefined],
    ["a body that is no JSON", "POST", "/api/queries/refs", "{"],
    ["a body that is no object", "POST", "/api/queries/refs", []],
    ["no queryId", "POST", "/api/queries/refs", {}],
    ["a queryId that is no UUID", "POST", "/api/queries/refs", { queryId: "1" }],
    ["an unknown field", "POST", "/api/queries/refs", { queryId: randomUUID(), title: "Mine" }],
    ["a shortId to change", "PUT", "/api/queries/refs/aaaaaaaaaa", { shortId: "bbbbbbbbbb" }],
    ["a query to change", "PUT", "/api/queries/refs/aaaaaaaaaa", { queryId: randomUUID() }],
    ["a visualization", "PUT", "/api/queries/refs/aaaaaaaaaa", { visualization: null }],
    ["an empty title", "PUT", "/api/queries/refs/aaaaaaaaaa", { title: " " }],
    ["a title that is too long", "PUT", "/api/queries/refs/aaaaaaaaaa", { title: "x".repeat(201) }],
    ["a description that is no text", "PUT", "/api/queries/refs/aaaaaaaaaa", { description: 1 }],
    ["a query id that is no UUID", "GET", "/api/queries/1", undefined],
    ["a result of no UUID", "GET", "/api/queries/x/result", undefined],
    ["a field for refresh", "POST", `/api/queries/${randomUUID()}/refresh`, { parameterValues: {} }],
    ["a query string that means nothing", "GET", `/api/queries/${randomUUID()}?x=1`, undefined],
  ])("with %s is refused", async ([, method, path, body], { rest }) => {
    const { call } = await rest.start();
    const answer = await call(path, { method, body });
    expect(answer).toMatchObject(problem(400, "invalid_request"));
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  });

  test("names what does not exist, or is somebody else's", async ({ rest, make }) => {
    const { call } = await rest.start();
    const other = await rest.start();
    const { id: queryId } = await make.query(other.owner, "SELECT 1");
    const { body } = await other.call("/api/queries/refs", { method: "POST", body: { queryId } });
    for (const [id, shortId] of [
      [queryId, body.shortId],
      [randomUUID(), "aaaaaaaaaa"],
    ]) {
      const answers = [
        await call(`/api/queries/${id}`),
        await call(`/api/queries/${id}/result`),
        await call(`/api/queries/${id}/refresh`, { method: "POST" }),
        await call("/api/queries/refs", { method: "POST", body: { queryId: id } }),
        await call(`/api/queries/refs/${shortId}`),
        await call(`/api/queries/refs/${shortId}`, { method: "PUT", body: { title: "Mine" } }),
        await call(`/api/queries/refs/${shortId}`, { method: "DELETE" }),
      ];
      for (const answer of answers) expect(answer).toMatchObject(problem(404, "not_found"));
    }
  });

  test("in another content type is refused, and one over a megabyte too", async ({ rest }) => {
    const { call } = await rest.start();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const form = await call("/api/queries/refs", { method: "POST", body: "queryId=1", headers });
    expect(form).toMatchObject(problem(415, "unsupported_media_type"));
    const large = await call("/api/queries/refs", {
      method: "POST",
      body: { queryId: "x".repeat(1024 * 1024) },
    });
    expect(large).toMatchObject(problem(413, "payload_too_large"));
    const reader = await rest.start({ scopes: ["references:read"] });
    expect(
      await reader.call("/api/queries/refs", { method: "POST", body: { queryId: "x".repeat(1024 * 1024) } }),
      "the scope comes before the body",
    ).toMatchObject(problem(403, "forbidden"));
  });

  test("in another encoding than UTF-8 is refused, and nothing is changed", async ({ rest, make, api }) => {
    const { owner, call, key } = await rest.start();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    const { body: reference } = await call("/api/queries/refs", { method: "POST", body: { queryId } });
    const path = `/api/queries/refs/${reference.shortId}`;
    const title = JSON.stringify({ title: "Café" });
    for (const [body, contentType] of [
      [Buffer.from(title, "latin1"), "application/json"],
      [Buffer.from(title, "utf16le"), "application/json"],
      [Buffer.from(title, "latin1"), "application/json; charset=iso-8859-1"],
      [Buffer.from(title), 'application/json; charset="ISO-8859-1"'],
    ] as const) {
      const headers = { authorization: `Bearer ${key}`, "content-type": contentType };
      const answer = await api.fetch(path, { method: "PUT", headers, body });
      const refusal = { status: answer.status, body: await answer.json() };
      expect(refusal, contentType).toMatchObject(problem(400, "invalid_request"));
    }
    expect((await call(path)).body.title).toBe(reference.title);
    const headers = { "content-type": "application/json; charset=UTF-8" };
    expect((await call(path, { method: "PUT", headers, body: title })).body.title).toBe("Café");
  });

  test("never takes refs for a query, and a path is spelled in one way", async ({ rest }) => {
    const { call } = await rest.start();
    expect(await call("/api/queries/refs/result")).toMatchObject(problem(404, "not_found"));
    expect(await call("/api/queries/refs/refresh", { method: "POST" })).toMatchObject(
      problem(405, "method_not_allowed"),
    );
    for (const path of [
      "/api/queries/",
      "/api/queries/refs/",
      "/api/Queries",
      "/api/queries/REFS/x",
      "/api/queries/refs/a/b",
    ]) {
      expect(await call(path), path).toMatchObject(problem(404, "not_found"));
    }
  });

  test("by another method is told which ones there are", async ({ rest }) => {
    const { call } = await rest.start();
    const nobody = rest.calling(undefined);
    const id = randomUUID();
    const allow = {
      "/api/queries/refs": "GET, HEAD, POST, OPTIONS",
      "/api/queries/refs/aaaaaaaaaa": "GET, HEAD, PUT, DELETE, OPTIONS",
      "/api/queries": "GET, HEAD, OPTIONS",
      [`/api/queries/${id}`]: "GET, HEAD, OPTIONS",
      [`/api/queries/${id}/result`]: "GET, HEAD, OPTIONS",
      [`/api/queries/${id}/refresh`]: "POST, OPTIONS",
    };
    for (const [path, methods] of Object.entries(allow)) {
      for (const ask of [call, nobody]) {
        for (const method of ["PATCH", "PROPFIND"]) {
          const refused = await ask(path, { method });
          expect(refused, path).toMatchObject(problem(405, "method_not_allowed"));
          expect(refused.headers.get("allow")).toBe(methods);
        }
        const options = await ask(path, { method: "OPTIONS" });
        expect([options.status, options.headers.get("allow"), options.body]).toEqual([
          204,
          methods,
          undefined,
        ]);
      }
    }
    const head = await call("/api/queries", { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, undefined]);
  });

  test("needs a key that is valid and has the scope, before its content is looked at", async ({
    rest,
    api,
    make,
    makeKey,
  }) => {
    const owner = await make.owner();
    const cookie = await api.sessionCookie(owner.email);
    const garbage = { body: "{", headers: { cookie, origin: api.origin } };
    for (const { method, path } of restRoutes) {
      const address = path.replace(":shortId", "aaaaaaaaaa").replace(":queryId", "none");
      const send = method === "GET" ? { headers: garbage.headers } : { method, ...garbage };
      for (const key of [undefined, "", "qb_unknown"]) {
        const answer = await rest.calling(key)(address, send);
        expect(answer, `${method} ${path}`).toMatchObject(problem(401, "unauthorized"));
        expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      }
      const scope = path.includes("refs")
        ? method === "GET"
          ? "references:read"
          : "references:write"
        : method === "GET"
          ? "queries:read"
          : "queries:run";
      const { key } = await makeKey(owner, { scopes: Scope.options.filter((one) => one !== scope) });
      const answer = await rest.calling(key)(address, send);
      expect(answer, `${method} ${path}`).toMatchObject(problem(403, "forbidden"));
    }
  });
});
