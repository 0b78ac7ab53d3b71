import {
  experimental_createMCPEventWebhook as createEventWebhook,
  createMCPClient,
  type Experimental_MCPEventStore as EventStore,
  type Experimental_MCPEvent as McpEvent,
  type Experimental_MCPEventSubscription as StoredSubscription,
} from "@ai-sdk/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { tellSubscriptionEnded } from "@querybell/core/event-subscriptions";
import { revokeKey } from "@querybell/core/keys";
import { startRunSlots } from "@querybell/core/run-slots";
import { createRunningClock, queuedJobs } from "@querybell/core/testing";
import { createDeliveryTools } from "@querybell/webhooks/testing";
import { expect, onTestFinished } from "vitest";
import { apiTest } from "../testing/api-test.ts";

const test = apiTest
  .extend("passwordHashes", { scope: "file" }, () => "fast" as const)
  // Receivers that nobody here wrote compare times with that of the machine.
  .extend("clock", { scope: "file" }, ({ databaseUrl }) => createRunningClock(databaseUrl))
  .extend("runSlots", { scope: "file", auto: true }, ({ deps, onError }, { onCleanup }) => {
    const slots = startRunSlots({
      ...{ deps, onError, pollEveryMs: 200 },
      queryRuns: { slots: 1, perOrganization: 20, total: null },
      automationRuns: { slots: 1, perOrganization: 20, total: null },
    });
    onCleanup(() => slots.stop());
    return slots;
  })
  .extend("team", { scope: "file" }, ({ deps, make, makeKey }) => async () => {
    const owner = await make.owner();
    const where = { id: owner.organizationId };
    await deps.db.prisma.organization.update({ where, data: { webhooksEnabled: true } });
    const { id: keyId, key } = await makeKey(owner);
    return { owner, keyId, headers: { authorization: `Bearer ${key}` } };
  });

test("the official client of 2025 (SDK v1) lists tools and reads rows", async ({ api, make, team }) => {
  const { owner, headers } = await team();
  const { id } = await make.query(owner, "SELECT i FROM range(250) t(i)");
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), {
    requestInit: { headers },
  });
  // Its types are not written for exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("run_query");
  // The client checks the answer against the output schema of the tool.
  const progress: unknown[] = [];
  const answer = await client.callTool({ name: "run_query", arguments: { id } }, undefined, {
    onprogress: (step) => progress.push(step),
  });
  expect(answer.structuredContent).toMatchObject({ rowCount: 250, returnedRows: 100, truncated: true });
  expect(progress).not.toEqual([]);
  await expect(client.callTool({ name: "run_sql", arguments: {} })).rejects.toThrow(/There is no tool/);
});

/** As an application would keep them in its database. */
function createEventStore(): EventStore & { all(): StoredSubscription[] } {
  const stored = new Map<string, StoredSubscription>();
  return {
    all: () => [...stored.values()],
    get: async (key) => stored.get(key),
    getById: async (id) => [...stored.values()].find((one) => one.id === id),
    set: async (subscription) => {
      stored.set(subscription.key, subscription);
    },
    update: async (key, patch) => {
      const present = stored.get(key);
      if (present) stored.set(key, { ...present, ...patch });
    },
    delete: async (key) => {
      stored.delete(key);
    },
  };
}

test("the AI SDK calls tools, and its receiver takes events and what was missed", async ({
  api,
  deps,
  make,
  team,
}) => {
  const { owner, keyId, headers } = await team();
  const automation = await make.automation(owner);
  const hooks = createDeliveryTools(deps);
  const store = createEventStore();
  const client = await createMCPClient({
    transport: { type: "http", url: `${api.url}/mcp`, headers },
    experimental_events: { store },
  });
  onTestFinished(() => client.close());
  const { id } = await make.query(owner, "SELECT i FROM range(3) t(i)");
  const tools = await client.tools();
  const options = { toolCallId: "1", messages: [], context: undefined };
  expect(await tools.run_query?.execute?.({ id }, options)).toMatchObject({
    structuredContent: { rows: [[0], [1], [2]], truncated: false },
  });

  const events: McpEvent[] = [];
  const errors: unknown[] = [];
  const terminations: string[] = [];
  const handle = createEventWebhook({
    store,
    onTerminated: async ({ termination }) => {
      terminations.push(termination.error.message);
    },
    onEvent: async ({ event }) => {
      events.push(event);
    },
    onError: (error) => errors.push(error),
  });
  const statuses: number[] = [];
  const receiver = await hooks.receiver(async (response, { url = "", headers: sent }) => {
    const { body } = receiver.requests.at(-1) ?? {};
    const request = new Request(`http://127.0.0.1${url}`, {
      method: "POST",
      headers: Object.entries(sent).map(([name, value]): [string, string] => [name, String(value)]),
      body: body?.toString() ?? "",
    });
    const answer = await handle(request);
    statuses.push(answer.status);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });

  const { experimental_events: subscriptions } = client;
  const listed = await subscriptions.list();
  expect(listed.events.map(({ name }) => name)).toEqual([
    "automation.run.completed",
    "automation.run.failed",
    "automation.condition.met",
    "automation.condition.resolved",
    "automation.rows.changed",
  ]);
  const subscribed = await subscriptions.subscribe({
    name: "automation.run.completed",
    arguments: { automationId: automation.id },
    delivery: { mode: "webhook", url: receiver.url, allowInsecureLocalhost: true },
  });
  const { organizationId } = owner;
  const pump = await hooks.pump();
  const emit = () => hooks.emit({ organizationId, automationId: automation.id });
  const first = await emit();
  await pump.drain();
  expect(events.map(({ eventId }) => eventId)).toEqual([first]);
  expect(store.all()).toMatchObject([{ id: subscribed.id, cursor: events[0]?.cursor, truncated: false }]);

  await subscriptions.unsubscribe({ id: subscribed.id });
  const second = await emit();
  await pump.drain();
  const again = await subscriptions.subscribe({
    name: "automation.run.completed",
    arguments: { automationId: automation.id },
    delivery: { mode: "webhook", url: receiver.url, allowInsecureLocalhost: true },
    cursor: events[0]?.cursor ?? null,
    maxAgeMs: 3_600_000,
    ttlMs: null,
  });
  expect(again.truncated).toBe(false);
  await pump.drain();
  expect(events.map(({ eventId }) => eventId)).toEqual([first, second]);
  await subscriptions.refresh({ id: again.id });
  await pump.drain();
  expect({ statuses, errors }).toEqual({ statuses: [200, 204, 200, 204], errors: [] });

  await revokeKey(deps, owner, { id: keyId });
  for (const job of await queuedJobs(deps, "tell_subscription_ended")) await tellSubscriptionEnded(deps, job);
  expect(terminations).toEqual(["The key or connection that subscribed has been revoked."]);
  expect(store.all()).toEqual([]);
});
