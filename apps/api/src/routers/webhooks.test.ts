import type { CreateWebhookEndpoint } from "@querybell/domain";
import { newId } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

const refused = (reason: string) => expect.objectContaining({ data: expect.objectContaining({ reason }) });

/** An owner whose organization may have webhooks, signed in. */
const webhookTest = apiTest.extend("signUp", { scope: "file" }, ({ api, deps, make }) => {
  return async ({ webhooksEnabled = true } = {}) => {
    const owner = await make.owner();
    await deps.db.prisma.organization.update({
      where: { id: owner.organizationId },
      data: { webhooksEnabled },
    });
    const emit = (cause = newId(deps.clock)) =>
      deps.db.transaction((tx) =>
        emitEvents({ ...deps, tx }, [
          {
            organizationId: owner.organizationId,
            cause,
            occurrence: {
              type: "automation.run.failed",
              data: { automationId: newId(deps.clock), runId: newId(deps.clock), reason: "stopped" },
            },
          },
        ]),
      );
    return { owner, emit, client: await api.signedIn(owner) };
  };
});

const settings = {
  url: "http://127.0.0.1:9/hook",
  eventTypes: ["automation.run.failed"],
} satisfies Partial<CreateWebhookEndpoint>;

describe("webhook endpoints", () => {
  webhookTest("are managed only where the operator has enabled webhooks", async ({ signUp }) => {
    const { client } = await signUp({ webhooksEnabled: false });
    await expect(client.webhookEndpoints.list.query()).rejects.toEqual(refused("webhooks_not_enabled"));
    await expect(client.webhookEndpoints.create.mutate(settings)).rejects.toThrow(
      /pnpm operator webhooks on/,
    );
  });

  webhookTest("show their secret once", async ({ signUp }) => {
    const { client } = await signUp();
    const created = await client.webhookEndpoints.create.mutate(settings);
    expect(created.secret.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = JSON.stringify([
      await client.webhookEndpoints.list.query(),
      await client.webhookEndpoints.get.query({ id: created.id }),
    ]);
    expect(shown).toContain(created.secret.id);
    expect(shown).not.toContain(created.secret.secret);
  });

  webhookTest.for([
    ["http://hooks.example.com/", /use https/],
    ["https://10.0.0.1/hook", /not a publicly routable/],
    ["https://169.254.169.254/latest/meta-data", /not a publicly routable/],
    ["https://[::ffff:192.168.0.1]/", /not a publicly routable/],
    ["https://user:secret@hooks.example.com/", /credentials/],
    ["hooks.example.com", /not a URL/],
  ] as const)("are not saved with the URL %s", async ([url, why], { signUp }) => {
    const { client } = await signUp();
    const { id } = await client.webhookEndpoints.create.mutate(settings);
    await expect(client.webhookEndpoints.create.mutate({ ...settings, url })).rejects.toThrow(why);
    await expect(client.webhookEndpoints.update.mutate({ id, url })).rejects.toThrow(why);
    expect(await client.webhookEndpoints.get.query({ id })).toMatchObject({ url: settings.url });
  });

  webhookTest("refuse custom headers that would override ours", async ({ signUp }) => {
    const { client } = await signUp();
    const headers = { "SVC-Webhook-Signature": "v1=mine" };
    await expect(client.webhookEndpoints.create.mutate({ ...settings, headers })).rejects.toThrow(
      /overridden/,
    );
  });

  webhookTest(
    "are changed in parts, disabled and enabled, and every change is audited",
    async ({ signUp }) => {
      const { client } = await signUp();
      const { id } = await client.webhookEndpoints.create.mutate({
        ...settings,
        headers: { "x-team": "blue" },
      });
      const updated = await client.webhookEndpoints.update.mutate({
        id,
        description: "Blue team",
        maxPerSecond: 7,
      });
      expect(updated).toMatchObject({
        description: "Blue team",
        maxPerSecond: 7,
        headers: { "x-team": "blue" },
      });
      await client.webhookEndpoints.disable.mutate({ id });
      await expect(client.webhookEndpoints.disable.mutate({ id })).rejects.toEqual(refused("conflict"));
      await expect(client.webhookEndpoints.sendTest.mutate({ id })).rejects.toThrow(/Enable it/);
      await client.webhookEndpoints.enable.mutate({ id, held: "deliver" });
      await client.webhookEndpoints.delete.mutate({ id });
      await expect(client.webhookEndpoints.get.query({ id })).rejects.toEqual(refused("not_found"));
      const actions = (await client.audit.list.query({})).items.map(({ action }) => action);
      expect(actions.slice(0, 5)).toEqual([
        "webhook_endpoint.deleted",
        "webhook_endpoint.enabled",
        "webhook_endpoint.disabled",
        "webhook_endpoint.changed",
        "webhook_endpoint.created",
      ]);
    },
  );

  webhookTest("say how they did in the last day", async ({ signUp }) => {
    const { client, emit } = await signUp();
    const { id } = await client.webhookEndpoints.create.mutate(settings);
    await emit();
    expect(await client.webhookEndpoints.health.query({ id })).toMatchObject({
      attempts: { succeeded: 0, failed: 0 },
      deliveries: { pending: 1, held: 0, succeeded: 0 },
      medianMs: null,
      lastFailure: null,
    });
  });
});

describe("deliveries", () => {
  webhookTest(
    "are found by endpoint, event, type, state and time, page by page",
    async ({ signUp, clock }) => {
      const { client, emit } = await signUp();
      const first = await client.webhookEndpoints.create.mutate(settings);
      const second = await client.webhookEndpoints.create.mutate(settings);
      const events: string[] = [];
      for (let event = 0; event < 3; event++) {
        await clock.advance(1_000);
        events.push(...(await emit()));
      }
      const search = (filter: Parameters<typeof client.webhookDeliveries.search.query>[0]) =>
        client.webhookDeliveries.search.query(filter);
      const page = await search({ endpointId: first.id, limit: 2 });
      expect(page.items.map(({ eventId }) => eventId)).toEqual([events[2], events[1]]);
      const { nextCursor = "" } = page;
      const rest = await search({ endpointId: first.id, limit: 2, cursor: nextCursor });
      expect(rest.items.map(({ eventId }) => eventId)).toEqual([events[0]]);
      expect(rest.nextCursor).toBeUndefined();

      expect((await search({})).items).toHaveLength(6);
      const ofEvent = await search({ eventId: events[1] });
      expect(new Set(ofEvent.items.map(({ endpointId }) => endpointId))).toEqual(
        new Set([first.id, second.id]),
      );
      expect((await search({ type: "automation.run.completed" })).items).toEqual([]);
      expect((await search({ state: "pending" })).items).toHaveLength(6);
      expect((await search({ state: "exhausted" })).items).toEqual([]);
      expect((await search({ from: clock.now().toISOString() })).items).toHaveLength(2);
      await expect(search({ cursor: "nonsense" })).rejects.toEqual(refused("invalid_cursor"));
      await expect(search({ cursor: nextCursor })).rejects.toEqual(refused("invalid_cursor"));
    },
  );

  webhookTest("and endpoints of another organization cannot be reached", async ({ signUp }) => {
    const [{ client, emit }, stranger] = [await signUp(), await signUp()];
    const { id } = await client.webhookEndpoints.create.mutate(settings);
    await emit();
    const { items } = await client.webhookDeliveries.search.query({});
    const deliveryId = items[0]?.id ?? "";
    const since = new Date(0).toISOString();
    const recovery = await client.webhookRecoveries.start.mutate({ endpointId: id, since });
    const { webhookEndpoints, webhookDeliveries, webhookRecoveries } = stranger.client;
    const attempts = [
      webhookEndpoints.get.query({ id }),
      webhookEndpoints.health.query({ id }),
      webhookEndpoints.update.mutate({ id, description: "mine" }),
      webhookEndpoints.disable.mutate({ id }),
      webhookEndpoints.enable.mutate({ id, held: "drop" }),
      webhookEndpoints.rotateSecret.mutate({ id }),
      webhookEndpoints.switchSecret.mutate({ id }),
      webhookEndpoints.sendTest.mutate({ id }),
      webhookEndpoints.delete.mutate({ id }),
      webhookDeliveries.get.query({ id: deliveryId }),
      webhookDeliveries.resend.mutate({ id: deliveryId }),
      webhookDeliveries.debugSignature.mutate({ deliveryId, attempt: 1 }),
      webhookRecoveries.preview.query({ endpointId: id, since }),
      webhookRecoveries.start.mutate({ endpointId: id, since }),
      webhookRecoveries.get.query({ id: recovery.id }),
      webhookRecoveries.cancel.mutate({ id: recovery.id }),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toEqual({ status: "rejected", reason: refused("not_found") });
    }
    expect(await webhookEndpoints.list.query()).toEqual([]);
    expect((await webhookDeliveries.search.query({ endpointId: id })).items).toEqual([]);
    expect((await webhookDeliveries.search.query({})).items).toEqual([]);
    expect(await webhookRecoveries.list.query({})).toEqual([]);
    expect(await client.webhookEndpoints.get.query({ id })).toMatchObject({
      state: "enabled",
      description: "",
    });
  });
});

describe("times that are asked for", () => {
  webhookTest("are read with and without milliseconds, and answered with them", async ({ signUp, clock }) => {
    const { client, emit } = await signUp();
    const { id: endpointId } = await client.webhookEndpoints.create.mutate(settings);
    await emit();
    const { webhookDeliveries, webhookRecoveries } = client;
    expect((await webhookDeliveries.search.query()).items).toHaveLength(1);
    const found = async (filter: { from?: string; until?: string }) =>
      (await webhookDeliveries.search.query(filter)).items.length;
    const nextYear = `${clock.now().getUTCFullYear() + 1}-01-01T00:00:00`;
    expect(await found({ from: "2020-01-01T00:00:00Z" })).toBe(1);
    expect(await found({ until: "2020-01-01T00:00:00.5Z" })).toBe(0);
    expect(await found({ from: `${nextYear}.25Z` })).toBe(0);
    expect(await found({ until: `${nextYear}.000Z` })).toBe(1);
    const started = await webhookRecoveries.start.mutate({ endpointId, since: "2020-01-01T00:00:00Z" });
    expect(started.since).toBe("2020-01-01T00:00:00.000Z");
    for (const from of ["2020-01-01", "yesterday", "2020-13-01T00:00:00Z"]) {
      await expect(webhookDeliveries.search.query({ from })).rejects.toThrow(/like 2027-01-31T12:00:00Z/);
    }
    for (const from of ["0000-06-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00"]) {
      await expect(webhookDeliveries.search.query({ from })).rejects.toThrow(/from: .*years 1 to 9999/);
    }
    const [from, until] = [`${nextYear}Z`, "2020-01-01T00:00:00Z"];
    await expect(webhookDeliveries.search.query({ from, until })).rejects.toThrow(
      /until: must not lie before from/,
    );
  });

  webhookTest("lie in the past where a recovery looks back", async ({ signUp, clock }) => {
    const { client } = await signUp();
    const { id: endpointId } = await client.webhookEndpoints.create.mutate(settings);
    const ahead = { endpointId, since: new Date(clock.now().getTime() + 60_000).toISOString() };
    const { preview, start, list } = client.webhookRecoveries;
    await expect(preview.query(ahead)).rejects.toThrow(/Choose a time in the past/);
    await expect(start.mutate(ahead)).rejects.toThrow(/Choose a time in the past/);
    expect(await list.query()).toEqual([]);
  });
});
