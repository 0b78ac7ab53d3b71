import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { triggerAutomation } from "@querybell/core/automations";
import { startRunSlots } from "@querybell/core/run-slots";
import { automationEventTypes, type Caller, newId, Scope } from "@querybell/domain";
import { createDeliveryTools } from "@querybell/webhooks/testing";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { apiTest } from "../testing/api-test.ts";

const modes = { "2025": "legacy", "2026": { pin: "2026-07-28" } } as const;
const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;

const Subscribed = z.object({
  id: z.string(),
  refreshBefore: z.iso.datetime(),
  cursor: z.string(),
  truncated: z.boolean(),
  deliveryStatus: z.object({ active: z.boolean() }).optional(),
});
const Sent = z.object({
  eventId: z.string(),
  name: z.string(),
  data: z.record(z.string(), z.unknown()),
  cursor: z.string(),
});

const test = apiTest
  .extend("passwordHashes", { scope: "file" }, () => "fast" as const)
  .extend("hooks", { scope: "file" }, ({ deps }) => createDeliveryTools(deps))
  .extend("team", { scope: "file" }, ({ deps, make }) => async () => {
    const owner = await make.owner();
    const where = { id: owner.organizationId };
    await deps.db.prisma.organization.update({ where, data: { webhooksEnabled: true } });
    return { owner, automation: await make.automation(owner) };
  })
  /** The official client, with a key of this owner. */
  .extend("connect", { scope: "file" }, ({ api, makeKey }) => {
    return async (owner: Caller, scopes: Scope[] = [...Scope.options], era: keyof typeof modes = "2026") => {
      const { key } = await makeKey(owner, { scopes });
      const client = new Client(
        { name: "test", version: "1.0.0" },
        { versionNegotiation: { mode: modes[era] } },
      );
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
      onTestFinished(() => client.close());
      const request = (method: string, params: Record<string, unknown> = {}) =>
        client.request({ method: `events/${method}`, params }, z.looseObject({}));
      /** The code and the data of the error. */
      const failure = async (method: string, params: Record<string, unknown> = {}) => {
        const Failure = z.object({ code: z.number(), data: z.unknown() });
        const { code, data } = Failure.parse(await request(method, params).catch((error: unknown) => error));
        return data === undefined ? [code] : [code, data];
      };
      return { client, request, failure };
    };
  });

test("the official client subscribes, gets the end of a run, and what it missed", async ({
  deps,
  hooks,
  team,
  connect,
  onError,
}) => {
  const { owner, automation } = await team();
  const slots = startRunSlots({
    ...{ deps, onError, pollEveryMs: 200 },
    queryRuns: { slots: 1, perOrganization: 20, total: null },
    automationRuns: { slots: 1, perOrganization: 20, total: null },
  });
  onTestFinished(() => slots.stop());
  const { client, request } = await connect(owner);
  expect(client.getServerCapabilities()?.extensions).toHaveProperty("io.modelcontextprotocol/events");
  const { events } = await request("list");
  expect(events).toEqual(
    automationEventTypes.map((name) => ({
      name,
      description: expect.any(String),
      delivery: ["webhook"],
      inputSchema: expect.objectContaining({ additionalProperties: false }),
      payloadSchema: expect.objectContaining({ required: expect.arrayContaining(["automationId", "runId"]) }),
    })),
  );

  const arrived = Promise.withResolvers<z.infer<typeof Sent>>();
  const receiver = await hooks.receiver((response) => {
    const { challenge, ...event } = JSON.parse(receiver.requests.at(-1)?.body.toString() ?? "");
    response.end(JSON.stringify({ challenge }));
    if (challenge === undefined) arrived.resolve(Sent.parse(event));
  });
  const delivery = { mode: "webhook", url: receiver.url, secret };
  const target = { name: "automation.run.completed", arguments: { automationId: automation.id }, delivery };
  const { id, cursor, truncated } = Subscribed.parse(await request("subscribe", { ...target, cursor: null }));
  expect({ id, truncated }).toEqual({ id: expect.stringMatching(/^sub_[0-9a-f]{40}$/), truncated: false });
  const pump = await hooks.pump();
  const run = await triggerAutomation(deps, owner, automation);
  const event = await arrived.promise;
  expect(event.data).toMatchObject({
    automationId: automation.id,
    runId: run.id,
    summary: expect.any(String),
  });
  expect(receiver.requests.at(-1)?.headers["x-mcp-subscription-id"]).toBe(id);
  await pump.drain();

  const again = Subscribed.parse(await request("subscribe", { ...target, cursor, ttlMs: 60_000 }));
  expect(again).toMatchObject({ id, cursor, truncated: false, deliveryStatus: { active: true } });
  await pump.drain();
  const bodies = receiver.requests.map(({ body }) => body.toString());
  expect(bodies, "the challenge, the event, and the same event").toHaveLength(3);
  expect(bodies[2]).toBe(bodies[1]);
  expect(await request("unsubscribe", target)).toMatchObject({});
  expect(await request("unsubscribe", target)).toMatchObject({});
});

test("what cannot be subscribed to is refused with the codes of MCP Events", async ({
  deps,
  hooks,
  make,
  team,
  connect,
  clock,
}) => {
  // Also the time of the database, in which challenges are counted.
  await clock.advance(0);
  const { owner } = await team();
  const { failure } = await connect(owner);
  const receiver = await hooks.receiver((response) => response.end());
  const delivery = { mode: "webhook", url: receiver.url, secret };
  const name = "automation.run.completed";
  const subscribe = (params: Record<string, unknown>) => failure("subscribe", { name, delivery, ...params });
  expect(await subscribe({})).toEqual([-32015, { reason: "challenge_failed" }]);
  expect(await subscribe({ name: "audit.entry.created" })).toEqual([-32011, { kind: "event" }]);
  const mode = { feature: "delivery.mode", value: "poll" };
  expect(await subscribe({ delivery: { ...delivery, mode: "poll" } })).toEqual([-32014, mode]);
  const invalid: Record<string, unknown>[] = [
    { arguments: { automationID: newId(deps.clock) } },
    { arguments: { automationId: newId(deps.clock) } },
    { arguments: [] },
    { delivery: { ...delivery, secret: "whsec_short" } },
    { delivery: { ...delivery, url: "http://example.com/" } },
    { delivery: null },
    { ttlMs: 0 },
    { ttlMs: 1.5 },
    { ttlMs: "1" },
    { cursor: "somewhere" },
    { name: 1 },
  ];
  for (const params of invalid) expect([params, await subscribe(params)]).toEqual([params, [-32602]]);
  expect(await failure("list", { cursor: "x" })).toEqual([-32602]);

  const reader = await connect(owner, ["automations:read"]);
  expect(reader.client.getServerCapabilities()?.extensions).toBeUndefined();
  expect(await reader.failure("list")).toEqual([-32012]);
  const old = await connect(owner, [...Scope.options], "2025");
  expect(await old.failure("list")).toEqual([-32601]);
  const without = await connect(await make.owner());
  expect(await without.failure("subscribe", { name, delivery })).toEqual([-32012]);
  for (let challenges = 0; challenges < 59; challenges++) await subscribe({});
  expect(await subscribe({})).toEqual([-32013]);
  expect(receiver.requests).toHaveLength(60);
});
