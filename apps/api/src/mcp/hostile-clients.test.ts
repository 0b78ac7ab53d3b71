import { setDatabaseAccess } from "@querybell/core/access";
import { runQuery } from "@querybell/core/runs";
import { execute } from "@querybell/core/testing";
import { Scope } from "@querybell/domain";
import { describe, expect } from "vitest";
import { z } from "zod";
import { apiTest, startApi } from "../testing/api-test.ts";
import { callTool, mcpMeta, sendMcp } from "../testing/call-tool.ts";

const test = apiTest
  .extend("passwordHashes", { scope: "file" }, () => "fast" as const)
  .extend("send", { scope: "file" }, ({ api }) => ({
    raw: (key: string, body: string, headers: Record<string, string> = {}) =>
      sendMcp(api, key, { body, headers }),
    async call(key: string, name: string, input: unknown) {
      const answer = await callTool(api, key, { name, input });
      expect(answer.status, answer.text).toBeLessThan(500);
      return answer;
    },
  }));

describe("a request", () => {
  test("needs a key, whatever cookies it has, and the origin of our pages or none", async ({
    api,
    make,
    makeKey,
    send,
  }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const cookie = await api.sessionCookie(owner.email);
    const post = (headers: Record<string, string>) =>
      api.fetch("/mcp", {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json", ...headers },
      });
    const nobody = await post({ cookie, origin: api.origin });
    expect(nobody.status).toBe(401);
    expect((await post({ authorization: "Bearer qb_wrong" })).status).toBe(401);
    expect((await send.raw(key, "{}", { origin: "https://evil.example" })).status).toBe(403);
    expect((await send.raw(key, "{}", { origin: "null" })).status).toBe(403);
    const get = await api.fetch("/mcp", { headers: { authorization: `Bearer ${key}` } });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("that is not one message of the protocol is refused with a code", async ({ make, makeKey, send }) => {
    const { key } = await makeKey(await make.owner());
    const codeOf = async (body: string, headers?: Record<string, string>) => {
      const answer = await send.raw(key, body, headers);
      const { error } = z.object({ error: z.object({ code: z.number() }) }).parse(await answer.json());
      return [answer.status, error.code];
    };
    expect(await codeOf("{")).toEqual([400, -32700]);
    expect(await codeOf("[]")).toEqual([400, -32600]);
    expect(await codeOf('"text"')).toEqual([400, -32600]);
    expect(await codeOf(`{"a":${"[".repeat(200)}${"]".repeat(200)}}`)).toEqual([400, -32600]);
    expect(await codeOf('{"__proto__":{}}')).toEqual([400, -32600]);
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { _meta: mcpMeta } };
    expect(await codeOf(JSON.stringify(listen))).toEqual([404, -32601]);
    const unknown = { jsonrpc: "2.0", id: 1, method: "no/method", params: { _meta: mcpMeta } };
    expect(await codeOf(JSON.stringify(unknown), { "mcp-method": "no/method" })).toEqual([404, -32601]);
    expect((await send.raw(key, "x".repeat(1024 ** 2 + 1))).status).toBe(413);
    expect((await send.raw(key, "{}", { "content-type": "text/plain" })).status).toBe(415);
  });
});

test("parameters of a method that are not as they should be are refused as such", async ({
  make,
  makeKey,
  send,
}) => {
  const { key } = await makeKey(await make.owner());
  const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "events/list"];
  const wrong: { method: string; params: Record<string, unknown> }[] = [
    ...lists.flatMap((method) => [
      { method, params: { cursor: 1 } },
      { method, params: { cursor: "x" } },
    ]),
    { method: "resources/read", params: {} },
    { method: "resources/read", params: { uri: 1 } },
    { method: "prompts/get", params: {} },
    { method: "prompts/get", params: { name: "find_query", arguments: "x" } },
    { method: "prompts/get", params: { name: "find_query", arguments: { question: 1 } } },
    { method: "tools/call", params: {} },
    { method: "tools/call", params: { name: "search", arguments: [] } },
    { method: "events/subscribe", params: {} },
  ];
  for (const { method, params } of wrong) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: mcpMeta } });
    const name = { "mcp-name": String(params.name ?? params.uri ?? "") };
    const answer = await send.raw(key, body, { "mcp-method": method, ...name });
    const { error } = z
      .object({ error: z.object({ code: z.number(), message: z.string() }).optional() })
      .parse(await answer.json());
    expect([method, params, error?.code]).toEqual([method, params, -32602]);
  }
});

test("requests count towards the rate limit of the key", async ({ make, makeKey, deps }) => {
  await using api = await startApi({ deps, settings: { RATE_LIMIT_PER_MINUTE: 2 } });
  const { key } = await makeKey(await make.owner());
  const statusOf = async () => (await sendMcp(api, key, { body: "{" })).status;
  expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([400, 400, 429]);
});

test("wrong input is answered with a sentence, never with a failure of the server", async ({
  make,
  makeKey,
  send,
}) => {
  const owner = await make.owner();
  const { key } = await makeKey(owner);
  const id = owner.organizationId;
  const inputs: [string, unknown][] = [
    ["search", {}],
    ["search", { text: 1 }],
    ["search", { text: "a", kinds: ["query", "nothing"] }],
    ["search", { text: "a", more: true }],
    ["get_query", {}],
    ["get_query", { id: "'; DROP TABLE queries; --" }],
    ["get_query", { id }],
    ["get_query", { shortId: "nothing" }],
    ["run_query", { id, values: { __proto__: 1, constructor: "x" } }],
    ["run_query", { id, maxRows: 501 }],
    ["run_query", { id, waitSeconds: 51 }],
    ["run_query", { id, columns: [] }],
    ["get_result", { runId: id }],
    ["get_result", { runId: id, cursor: "-1" }],
    ["get_result", { runId: id, cursor: "1e9" }],
    ["summarize_result", { runId: id }],
    ["describe_tables", { databaseId: id }],
    ["list_automations", { cursor: "forged" }],
    ["list_runs", { since: "yesterday" }],
    ["get_chat", { runId: id }],
    ["run_automation", { id }],
    ["create_permalink", { queryId: id, title: "two\nlines" }],
    ["create_permalink", { queryId: id, values: { a: "x".repeat(20_000) } }],
  ];
  for (const [name, input] of inputs) {
    const { isError, text } = await send.call(key, name, input);
    expect(isError, `${name} ${JSON.stringify(input).slice(0, 100)} ${text}`).toBe(true);
    expect(text).not.toContain("our side");
  }
  const { error } = await send.call(key, "no_tool", {});
  expect(error?.code).toBe(-32602);
});

test("nothing of another organization is answered", async ({ make, makeKey, deps, send }) => {
  const [ours, theirs] = [await make.owner(), await make.owner()];
  const { key } = await makeKey(ours);
  const { id } = await make.query(theirs, "SELECT 'secret' AS word FROM fruits");
  const automation = await make.automation(theirs);
  const run = await runQuery(deps, theirs, { id, parameterValues: {} });
  await execute(deps, run.id);
  const { analyticalDatabaseConfigId: databaseId } = await deps.db.prisma.query.findUniqueOrThrow({
    where: { id },
  });
  const calls: [string, unknown][] = [
    ["get_query", { id }],
    ["run_query", { id }],
    ["get_result", { runId: run.id }],
    ["summarize_result", { runId: run.id }],
    ["describe_tables", { databaseId }],
    ["run_automation", { id: automation.id }],
    ["create_permalink", { queryId: id }],
  ];
  for (const [name, input] of calls) {
    const { isError, text } = await send.call(key, name, input);
    expect([name, isError]).toEqual([name, true]);
    expect(text).not.toContain("secret");
  }
  for (const [name, input] of [
    ["search", { text: "fruits" }],
    ["list_runs", {}],
    ["list_automations", {}],
  ] as const) {
    expect((await send.call(key, name, input)).data).toEqual({ items: [] });
  }
  expect((await send.call(key, "list_databases", {})).text).not.toContain(databaseId);
});

test("tools see what the rights of the key's owner allow", async ({ make, makeKey, deps, send }) => {
  const owner = await make.owner();
  const member = await make.member(owner.organizationId);
  const { key } = await makeKey(member, { scopes: [...Scope.options] });
  const { id } = await make.query(owner, "SELECT name FROM fruits");
  const run = await runQuery(deps, owner, { id, parameterValues: {} });
  await execute(deps, run.id);
  expect((await send.call(key, "get_result", { runId: run.id })).text).toContain("apple");
  const { analyticalDatabaseConfigId: databaseId } = await deps.db.prisma.query.findUniqueOrThrow({
    where: { id },
  });
  await setDatabaseAccess(deps, owner, { databaseId, grants: [] });
  for (const [name, input] of [
    ["get_query", { id }],
    ["run_query", { id }],
    ["get_result", { runId: run.id }],
    ["summarize_result", { runId: run.id }],
    ["describe_tables", { databaseId }],
  ] as const) {
    const { isError, text } = await send.call(key, name, input);
    expect([name, isError]).toEqual([name, true]);
    expect(text).not.toContain("apple");
  }
});
