import { once } from "node:events";
import { connect } from "node:net";
import { longestBlock, longestBlockOnce, maxBlockMs } from "@querybell/core/testing";
import { newId } from "@querybell/domain";
import { describe, expect, vi } from "vitest";
import { apiTest, startApi } from "../testing/api-test.ts";

const steps = 500;

/** A chat with as many steps as there may be: half of them texts, half of them previews of 10,000 small cells. */
const test = apiTest.extend("chat", { scope: "file" }, async ({ api, deps, make, makeKey }) => {
  const owner = await make.owner();
  const { key } = await makeKey(owner);
  const client = api.withKey(key);
  const { id } = await make.automation(owner, { agent: "external" });
  const run = await client.automations.trigger.mutate({ id });
  const cells = JSON.stringify({
    fields: Array.from({ length: 100 }, (_, at) => ({ name: `c${at}`, type: "integer" })),
    rows: Array(100).fill(Array(100).fill(1)),
    rowCount: 100,
    cut: false,
  });
  const ids = Array.from({ length: steps - 1 }, () => newId(deps.clock));
  await deps.db.pool.query(
    `INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, tool,
       input, output, created_at, ended_at)
     SELECT id, $2, $3, 'step ' || n, n + 1, n + 1, (CASE WHEN n % 2 = 0 THEN 'message' ELSE 'tool_call' END)::automation_step_kind,
       'completed', CASE WHEN n % 2 = 0 THEN repeat('é', 20000) ELSE '' END, CASE n % 2 WHEN 1 THEN 'run_query' END,
       CASE n % 2 WHEN 1 THEN '{}'::jsonb END, CASE n % 2 WHEN 1 THEN $4::jsonb END, now(), now()
     FROM unnest($1::uuid[]) WITH ORDINALITY AS step(id, n)`,
    [ids, owner.organizationId, run.id, cells],
  );
  await deps.db.pool.query("UPDATE automation_runs SET revision = $2 WHERE id = $1", [run.id, steps]);
  const input = (value: unknown) => encodeURIComponent(JSON.stringify(value));
  const watch = `/api/trpc/automationRuns.watch?input=${input({ id: run.id })}`;
  const headers = { authorization: `Bearer ${key}` };
  /** One answer, and the time for which it blocked the server. */
  const ask = async (path: string, init: RequestInit = {}) => {
    let text = "";
    // A claim cannot be repeated.
    const measure = init.method === "POST" ? longestBlockOnce : longestBlock;
    const blockedMs = await measure(async () => {
      text = await (await api.fetch(path, { headers, ...init })).text();
    });
    return { text, blockedMs };
  };
  return { owner, client, key, run, input, watch, headers, ask };
});

const inOrder = (names: string[]) =>
  expect(names).toEqual(["instruction", ...Array.from({ length: steps - 1 }, (_, at) => `step ${at + 1}`)]);

describe("a chat with very many steps", () => {
  test("is read in pages that end before they are too long", async ({ chat }) => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const path = `/api/trpc/automationRuns.steps?input=${chat.input({ runId: chat.run.id, limit: 100, cursor })}`;
      const { text, blockedMs } = await chat.ask(path);
      expect(blockedMs).toBeLessThan(maxBlockMs);
      expect(Buffer.byteLength(text)).toBeLessThan(1.2 * 1024 * 1024);
      const page = JSON.parse(text).result.data;
      names.push(...page.items.map(({ name }: { name: string }) => name));
      cursor = page.nextCursor;
    } while (cursor);
    inOrder(names);
  });

  test("is watched in many messages of a bounded size", async ({ chat, api }) => {
    const headers = { ...chat.headers, accept: "text/event-stream" };
    let chunks: string[] = [];
    const blockedMs = await longestBlock(async () => {
      const stop = new AbortController();
      chunks = [];
      const answer = await api.fetch(chat.watch, { headers, signal: stop.signal });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      const lastStep = `"step ${steps - 1}"`;
      let hasLast = false;
      for (let end = ""; !hasLast || !end.endsWith("\n\n"); ) {
        const chunk = (await reader?.read())?.value ?? "";
        chunks.push(chunk);
        hasLast ||= (end + chunk).includes(lastStep);
        end = (end + chunk).slice(-lastStep.length);
      }
      stop.abort();
    });
    expect(blockedMs).toBeLessThan(maxBlockMs);
    const messages = chunks
      .join("")
      .split("\n")
      .flatMap((line) => (line.startsWith('data: {"run"') ? [line] : []));
    for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThan(300 * 1024);
    const news = messages.map((message) => JSON.parse(message.slice("data: ".length)));
    inOrder(news.flatMap((one) => one.steps.map(({ name }: { name: string }) => name)));
    for (const { run } of news) expect(run).toEqual(chat.run);
  });

  test("is given to the next agent in pages too", async ({ chat, deps }) => {
    await chat.client.externalAgents.claim.mutate({});
    await deps.db.pool.query(
      "UPDATE automation_runs SET lease_until = now() - interval '1 second' WHERE id = $1",
      [chat.run.id],
    );
    const body = JSON.stringify({});
    const { text, blockedMs } = await chat.ask("/api/trpc/externalAgents.claim", {
      method: "POST",
      body,
      headers: { ...chat.headers, "content-type": "application/json" },
    });
    expect(blockedMs).toBeLessThan(maxBlockMs);
    expect(Buffer.byteLength(text)).toBeLessThan(1.2 * 1024 * 1024);
    const claim = JSON.parse(text).result.data;
    const names: string[] = claim.steps.map(({ name }: { name: string }) => name);
    let cursor: string | undefined = claim.stepsCursor;
    expect(cursor).toEqual(expect.any(String));
    while (cursor !== undefined) {
      const claimed = { runId: chat.run.id, claimNumber: claim.claimNumber };
      const page = await chat.client.externalAgents.steps.query({ ...claimed, limit: 100, cursor });
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    }
    inOrder(names);
  });
});

test("a client that watches a chat and does not read it costs a few messages, and is cut off", async ({
  chat,
  deps,
}) => {
  await using slow = await startApi({
    deps,
    timeouts: { requestMs: 60_000, uploadMs: 60_000, idleMs: 1000 },
  });
  const queries = vi.spyOn(deps.db.pool, "query");
  const socket = connect({ port: Number(new URL(slow.url).port), host: "127.0.0.1" });
  await once(socket, "connect");
  socket.pause();
  socket.write(
    `GET ${chat.watch} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: Bearer ${chat.key}\r\n\r\n`,
  );
  const reads = () =>
    queries.mock.calls.flatMap(([query], at) => {
      const text = JSON.stringify(query);
      const isRead = text.includes("automation_steps") && !text.includes("measure_");
      return isRead ? [queries.mock.results[at]?.value] : [];
    });
  await vi.waitFor(() => expect(reads().length).toBeGreaterThan(0), { timeout: 60_000 });
  await vi.waitFor(async () => expect(await slow.openConnections()).toBe(0), { timeout: 60_000 });
  const read = await Promise.all(reads());
  // The system takes some megabytes for the connection; the server keeps a few messages more.
  expect(read.reduce((sum, { rows }) => sum + rows.length, 0)).toBeLessThan(0.75 * steps);
  queries.mockRestore();
  socket.destroy();
});
