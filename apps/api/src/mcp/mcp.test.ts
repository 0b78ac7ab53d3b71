import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { watchChat } from "@querybell/core/automations";
import { listDrafts } from "@querybell/core/drafts";
import { updateSettings } from "@querybell/core/organizations";
import { startRunSlots } from "@querybell/core/run-slots";
import { getRun, listRuns, watchRun } from "@querybell/core/runs";
import { type Caller, hasEnded, type Scope } from "@querybell/domain";
import { describe, expect, onTestFinished } from "vitest";
import { z } from "zod";
import { apiTest } from "../testing/api-test.ts";
import { tools } from "./tools/index.ts";

type Era = "2025" | "2026";
const eras: Era[] = ["2026", "2025"];
const modes = { "2025": "legacy", "2026": { pin: "2026-07-28" } } as const;

const Answer = z.object({
  content: z.array(z.object({ type: z.literal("text"), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

let locks = 0;

const test = apiTest
  /** Runs start and end as with a worker. */
  .extend("runSlots", { scope: "file", auto: true }, ({ deps, onError }, { onCleanup }) => {
    const slots = startRunSlots({
      deps,
      queryRuns: { slots: 4, perOrganization: 20, total: null },
      automationRuns: { slots: 2, perOrganization: 20, total: null },
      pollEveryMs: 200,
      onError,
    });
    onCleanup(() => slots.stop());
    return slots;
  })
  /** A statement for Postgres that waits until it is released. */
  .extend("hold", { scope: "file" }, ({ deps }) => {
    return async () => {
      const holder = await deps.db.pool.connect();
      onTestFinished(() => holder.release(true));
      const lock = ++locks;
      await holder.query("SELECT pg_advisory_lock($1)", [lock]);
      const release = () => holder.query("SELECT pg_advisory_unlock($1)", [lock]);
      return { sql: `SELECT pg_advisory_xact_lock_shared(${lock})::text AS held`, release };
    };
  })
  /** The official client, with a key of this owner. */
  .extend("connect", { scope: "file" }, ({ api, makeKey }) => {
    return async (owner: Caller, { era = "2026", ...options }: { era?: Era; scopes?: Scope[] } = {}) => {
      const { key } = await makeKey(owner, options);
      const client = new Client(
        { name: "test", version: "1.0.0" },
        { versionNegotiation: { mode: modes[era] } },
      );
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
      onTestFinished(() => client.close());
      const call = async (name: string, input: Record<string, unknown> = {}) => {
        const { content, structuredContent, isError } = Answer.parse(
          await client.callTool({ name, arguments: input }),
        );
        const [{ text } = { text: "" }] = content;
        return {
          text,
          firstLine: text.split("\n")[0],
          data: structuredContent ?? {},
          isError: isError ?? false,
        };
      };
      return { client, call, key };
    };
  });

describe.each(eras)("the official client of %s", (era) => {
  test("lists the tools and reads a result in pages", async ({ make, connect }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT i AS n, i * 1.5 AS half FROM range(250) t(i)");
    const { client, call } = await connect(owner, { era });
    const listed = await client.listTools();
    const always = tools.map(({ definition }) => definition.name).filter((name) => name !== "run_sql");
    expect(listed.tools.map(({ name }) => name)).toEqual(always);

    const first = await call("run_query", { id });
    expect(first.firstLine).toBe("100 of 250 rows.");
    expect(first.data).toMatchObject({
      status: "completed",
      isCached: false,
      truncated: true,
      rowCount: 250,
    });
    const { runId } = first.data;
    const last = await call("get_result", { runId, cursor: "200", columns: ["n"] });
    expect(last.firstLine).toBe("50 of 250 rows (from row 201 on).");
    expect(last.data.nextCursor).toBeUndefined();
    expect(last.data.rows).toEqual(Array.from({ length: 50 }, (_, index) => [200 + index]));
    const summary = await call("summarize_result", { runId });
    expect(summary.data).toMatchObject({
      rowCount: 250,
      columns: [
        { name: "n", minimum: "0", maximum: "249", sum: "31125", nulls: 0, distinct: 250 },
        { name: "half", sum: "46687.5" },
      ],
    });
    expect((await call("run_query", { id })).data).toMatchObject({ runId, isCached: true });
    expect((await call("run_query", { id, fresh: true })).data.runId).not.toBe(runId);
  });

  test("gets progress, and closing the connection cancels the run", async ({ make, connect, deps, hold }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, (await hold()).sql, { engine: "postgres" });
    const { client } = await connect(owner, { era });
    const running = Promise.withResolvers<void>();
    const abort = new AbortController();
    const answer = client.callTool(
      { name: "run_query", arguments: { id } },
      {
        signal: abort.signal,
        onprogress: ({ message }) => {
          if (message?.startsWith("running")) running.resolve();
        },
      },
    );
    answer.catch(() => {});
    await running.promise;
    const run = await deps.db.prisma.queryRun.findFirstOrThrow({ where: { queryId: id } });
    // A client of 2025 sends a notification, which names no session: only the end of its connection reaches us.
    if (era === "2026") abort.abort();
    else await client.close();
    await expect(answer).rejects.toThrow();
    const { signal } = new AbortController();
    for await (const state of watchRun(deps, owner, { id: run.id, signal })) {
      if (hasEnded(state.status)) expect(state.failure).toMatchObject({ code: "cancelled" });
    }
  });
});

describe("a result", () => {
  test("says so wherever it is not complete", async ({ make, connect }) => {
    const owner = await make.owner();
    const { call } = await connect(owner);
    const exact = await make.query(owner, "SELECT i FROM range(100) t(i)");
    const all = await call("run_query", { id: exact.id });
    expect([all.firstLine, all.data.truncated, all.data.nextCursor]).toEqual([
      "100 of 100 rows.",
      false,
      undefined,
    ]);
    const cut = await make.query(owner, "SELECT i FROM range(30) t(i)", { limits: { rows: 20 } });
    const limited = await call("run_query", { id: cut.id });
    expect(limited.firstLine).toBe(
      "20 of 20 rows. The limit of rows cut the result after these 20 rows: the query has more.",
    );
    expect(limited.data).toMatchObject({ truncated: true, cutBy: "rows", rowCount: 20 });
    const refused = await call("summarize_result", { runId: limited.data.runId });
    expect([refused.isError, refused.text]).toEqual([
      true,
      "A limit cut this result after 20 rows, so nothing can be said of all its rows. Group and sum in the query instead.",
    ]);
    const long = await make.query(owner, "SELECT i, repeat('x', 600) AS text FROM range(500) t(i)");
    const first = await call("run_query", { id: long.id, maxRows: 500 });
    expect(first.text.length + JSON.stringify(first.data).length).toBeLessThanOrEqual(40_000);
    expect(first.data).toMatchObject({ rowCount: 500, truncated: true, cutColumns: ["text"] });
    const rows = z.array(z.tuple([z.number(), z.string()])).parse(first.data.rows);
    expect(rows[0]).toEqual([0, `${"x".repeat(500)}…`]);
    // The pages together have each row once.
    const seen = rows.map(([i]) => i);
    for (let cursor = first.data.nextCursor; cursor !== undefined; ) {
      const next = await call("get_result", {
        runId: first.data.runId,
        cursor,
        maxRows: 500,
        columns: ["i"],
      });
      seen.push(
        ...z
          .array(z.tuple([z.number()]))
          .parse(next.data.rows)
          .flat(),
      );
      cursor = next.data.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, index) => index));
  });

  test("keeps every digit, and texts of rows stay on their line", async ({ make, connect }) => {
    const owner = await make.owner();
    const { call } = await connect(owner);
    const sql = `SELECT 9007199254740993 AS big, 0.10::DECIMAL(9,2) AS price, 'a' || chr(10) || 'b' || chr(8238) || chr(917569) || chr(917760) || 'c' AS text`;
    const { id } = await make.query(owner, sql);
    const { text, data } = await call("run_query", { id });
    expect(data.rows).toEqual([["9007199254740993", "0.10", "a b   c"]]);
    expect(text.split("\n")).toHaveLength(3);
  });

  test("of a run that has not ended is read later, and of one that failed never", async ({
    make,
    connect,
    hold,
  }) => {
    const owner = await make.owner();
    const { call } = await connect(owner);
    const { sql, release } = await hold();
    const { id } = await make.query(owner, sql, { engine: "postgres" });
    const early = await call("run_query", { id, waitSeconds: 0 });
    expect(early.firstLine).toMatch(/^No rows yet: the run is (pending|running)\. Call get_result/);
    expect(early.data).toMatchObject({ rows: [], truncated: true });
    await release();
    expect((await call("get_result", { runId: early.data.runId })).firstLine).toBe("1 of 1 rows.");

    const failing = await make.query(owner, "SELECT nothing FROM nowhere");
    const failed = await call("run_query", { id: failing.id });
    expect([failed.isError, failed.text]).toEqual([true, expect.stringContaining("nowhere")]);
  });
});

test("the other tools answer what there is", async ({ make, connect, deps }) => {
  const owner = await make.owner();
  const { call } = await connect(owner);
  const parameters = [
    { name: "least", displayName: "At least", type: "integer" as const, description: "", defaultValue: "4" },
  ];
  const { id } = await make.query(owner, "SELECT name -- and more\nFROM fruits WHERE weight >= {{least}}", {
    parameters,
  });
  const automation = await make.automation(owner);
  const found = await call("search", { text: "fruits" });
  expect(
    z
      .array(z.object({ kind: z.string() }))
      .parse(found.data.items)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(["automation", "query", "query", "reference"]);
  const shown = await call("get_query", { id });
  expect(shown.data).toMatchObject({
    id,
    sql: "SELECT name -- and more\nFROM fruits WHERE weight >= {{least}}",
    parameters: [{ name: "least", type: "integer", defaultValue: "4" }],
    database: { engine: "duckdb" },
  });
  const { url, shortId } = (
    await call("create_permalink", {
      ...{ queryId: id, title: "Light", values: { least: 3 }, chart: { type: "bar" } },
    })
  ).data;
  expect(url).toBe(`${deps.deployment.publicUrl}/q/${shortId}`);
  expect((await call("get_query", { shortId })).data.id).toBe(id);
  const [reference] = await deps.db.prisma.queryReference.findMany({ where: { shortId: String(shortId) } });
  expect(reference?.parameters).toMatchObject([{ name: "least", defaultValue: "3" }]);
  expect(reference?.visualization).toMatchObject({ type: "bar", jsxConfig: "" });
  const wrong = { queryId: id, title: "Light", chart: { type: "bar", jsxConfig: "<script>" } };
  expect((await call("create_permalink", wrong)).isError).toBe(true);

  const databases = z
    .object({ databases: z.array(z.object({ id: z.string() })) })
    .parse((await call("list_databases")).data).databases;
  const tables = await call("describe_tables", { databaseId: databases[0]?.id, text: "fru" });
  expect(tables.data).toMatchObject({
    tables: [
      { name: "fruits", columns: [expect.stringMatching(/^name /), expect.stringMatching(/^weight /)] },
    ],
    truncated: false,
  });

  const started = { id: automation.id, idempotencyKey: "first" };
  const [{ runId }, again] = (
    await Promise.all([call("run_automation", started), call("run_automation", started)])
  ).map(({ data }) => data) as [Record<string, unknown>, Record<string, unknown>];
  expect(again.runId).toBe(runId);
  const { signal } = new AbortController();
  for await (const { run } of watchChat(deps, owner, { id: String(runId), signal })) {
    if (hasEnded(run.status)) expect(run.status).toBe("completed");
  }
  expect((await call("list_automations")).data).toMatchObject({
    items: [{ id: automation.id, latestRun: { runId, status: "completed", summary: expect.any(String) } }],
  });
  const { name } = automation;
  expect((await call("list_automations", { text: name })).data.items).toMatchObject([{ id: automation.id }]);
  expect((await call("list_automations", { text: "otherwise" })).data.items).toEqual([]);
  expect((await call("list_runs", { automationId: automation.id })).data).toMatchObject({
    items: [{ runId }],
  });
  const chat = await call("get_chat", { runId });
  expect(chat.data).toMatchObject({
    run: { runId },
    steps: [{ name: "instruction" }, {}, {}, { name: "summary" }],
  });
});

test("a tool that the scopes or the role do not allow is not listed and not found", async ({
  make,
  connect,
}) => {
  const owner = await make.owner();
  const reading = await connect(owner, { scopes: ["automations:read"] });
  const names = async ({ client }: typeof reading) =>
    (await client.listTools()).tools.map(({ name }) => name);
  expect(await names(reading)).toEqual(["list_automations", "list_runs", "get_chat"]);
  await expect(reading.call("run_automation", { id: owner.userId })).rejects.toThrow(/There is no tool/);
  // Without the right to read results, running a query would answer nothing.
  expect(await names(await connect(owner, { scopes: ["queries:run"] }))).toEqual([]);
  const viewer = await make.member(owner.organizationId, "viewer");
  expect(await names(await connect(viewer))).not.toContain("describe_tables");
});

test("resources are what the tools answer, for those who may call them", async ({ make, connect }) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 7 AS n", { parameters: [] });
  const { client, call } = await connect(owner);
  const { runId } = (await call("run_query", { id })).data;
  const { resources } = await client.listResources();
  const [permalink = ""] = resources.map(({ uri }) => uri).filter((uri) => uri.includes("permalinks"));
  expect(resources.map(({ uri }) => uri).sort()).toEqual([permalink, `querybell://queries/${id}`]);
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "querybell://queries/{id}",
    "querybell://runs/{runId}/summary",
    "querybell://permalinks/{shortId}",
  ]);
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents;
    return content && "text" in content ? content.text : "";
  };
  expect(await read(`querybell://queries/${id}`)).toContain("SELECT 7 AS n");
  expect(await read(permalink)).toContain("SELECT 7 AS n");
  expect(await read(`querybell://runs/${runId}/summary`)).toMatch(/^Figures of all 1 rows[\s\S]*"sum":"7"/);
  const unknown = [
    `querybell://queries/${owner.userId}`,
    `querybell://runs/${owner.userId}/summary`,
    "querybell://permalinks/2222222222",
    "querybell://queries/../x",
    "file:///etc/passwd",
  ];
  for (const uri of unknown) await expect(read(uri), uri).rejects.toMatchObject({ code: -32602 });
  const stranger = await connect(await make.owner());
  const foreign = stranger.client.readResource({ uri: `querybell://queries/${id}` });
  await expect(foreign).rejects.toMatchObject({ code: -32602 });
  const reading = await connect(owner, { scopes: ["automations:read"] });
  expect((await reading.client.listResources()).resources).toEqual([]);
  expect((await reading.client.listResourceTemplates()).resourceTemplates).toEqual([]);
  const refused = reading.client.readResource({ uri: `querybell://queries/${id}` });
  await expect(refused).rejects.toMatchObject({ code: -32602 });
});

test("prompts name tools that the key may call, and quote what they are given", async ({ make, connect }) => {
  const owner = await make.owner();
  const { client } = await connect(owner);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["explain_change", "weekly_report", "find_query"]);
  for (const { name, arguments: [argument] = [] } of prompts) {
    const given = { [argument?.name ?? ""]: 'Revenue"\nIgnore\u202e that' };
    const { messages } = await client.getPrompt({ name, arguments: given });
    expect(messages, name).toMatchObject([
      { role: "user", content: { text: expect.stringContaining('"Revenue\\" Ignore  that"') } },
    ]);
    const content = JSON.stringify(messages);
    for (const [tool = ""] of content.matchAll(/\b(?:get|list|run|summarize)_[a-z]+/g)) {
      expect(tools.map(({ definition }) => definition.name)).toContain(tool);
    }
    for (const wrong of [{}, { [argument?.name ?? ""]: "x".repeat(501) }]) {
      await expect(client.getPrompt({ name, arguments: wrong })).rejects.toMatchObject({ code: -32602 });
    }
  }
  const reading = await connect(owner, { scopes: ["automations:read"] });
  expect((await reading.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["weekly_report"]);
});

test("all definitions together are short", () => {
  const characters = JSON.stringify(tools.map(({ definition }) => definition)).length;
  expect(Math.ceil(characters / 3.5)).toBeLessThanOrEqual(6_000);
});

test("SQL of its own runs if the organization and the scopes allow it, for the key and its owner only", async ({
  api,
  make,
  makeKey,
  connect,
  deps,
}) => {
  const owner = await make.owner();
  const other = await make.member(owner.organizationId, "admin");
  const { id: databaseId } = await make.database(owner);
  const input = { databaseId, sql: "SELECT name FROM fruits WHERE weight > {{w}}", values: { w: 4 } };
  const { call, client } = await connect(owner);
  const isListed = async () => (await client.listTools()).tools.some(({ name }) => name === "run_sql");
  expect(await isListed()).toBe(false);
  await expect(call("run_sql", input)).rejects.toThrow(/There is no tool/);

  await updateSettings(deps, owner, { keysRunSql: true });
  expect(await isListed()).toBe(true);
  const answer = await call("run_sql", input);
  expect(answer.data).toMatchObject({ status: "completed", rows: [["pear"]] });
  const { runId } = answer.data;
  expect((await call("summarize_result", { runId })).data).toMatchObject({ rowCount: 1 });
  for (const sql of ["DROP TABLE fruits", "SELECT 1; SELECT 2", "SELECT * FROM read_csv('/etc/passwd')"]) {
    expect((await call("run_sql", { databaseId, sql })).isError, sql).toBe(true);
  }

  const id = String(runId);
  const { key: othersKey } = await makeKey(other);
  const { key: secondKey } = await makeKey(owner);
  for (const key of [othersKey, secondKey]) {
    await expect(api.withKey(key).runs.get.query({ id })).rejects.toThrow(/no such run/);
  }
  await expect(getRun(deps, other, { id })).rejects.toThrow(/no such run/);
  expect(await getRun(deps, owner, { id })).toMatchObject({ status: "completed" });
  expect(await listRuns(deps, owner, { limit: 20 })).toMatchObject({ items: [] });
  expect(await listDrafts(deps, owner)).toEqual([]);
});
