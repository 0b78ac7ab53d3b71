import { CreateWebhookEndpoint, ListAudit } from "@querybell/domain";
import { describe, expect } from "vitest";
import { listAudit } from "../audit.ts";
import { appError } from "../testing/app-error.ts";
import { deliveryTest } from "../testing/delivery-test.ts";
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  sendTestEvent,
  updateEndpoint,
} from "./index.ts";

const settings = CreateWebhookEndpoint.parse({
  url: "http://127.0.0.1:9/hook",
  eventTypes: ["automation.run.failed"],
});

describe("webhook endpoints", () => {
  deliveryTest("show their secret once", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const created = await createEndpoint(deps, owner, settings);
    expect(created.secret.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = JSON.stringify([
      await listEndpoints(deps, owner),
      await getEndpoint(deps, owner, { id: created.id }),
    ]);
    expect(shown).toContain(created.secret.id);
    expect(shown).not.toContain(created.secret.secret);
  });

  deliveryTest.for([
    ["http://hooks.example.com/", /use https/],
    ["https://10.0.0.1/hook", /not a publicly routable/],
    ["https://169.254.169.254/latest/meta-data", /not a publicly routable/],
    ["https://[::ffff:192.168.0.1]/", /not a publicly routable/],
    ["https://user:secret@hooks.example.com/", /credentials/],
    ["hooks.example.com", /not a URL/],
  ] as const)("are not saved with the URL %s", async ([url, why], { hooks, deps }) => {
    const owner = await hooks.owner();
    const { id } = await createEndpoint(deps, owner, settings);
    await expect(createEndpoint(deps, owner, { ...settings, url })).rejects.toThrow(why);
    await expect(updateEndpoint(deps, owner, { id, url })).rejects.toThrow(why);
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({ url: settings.url });
  });

  deliveryTest("refuse custom headers that would override ours", async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const headers = { "SVC-Webhook-Signature": "v1=mine" };
    await expect(createEndpoint(deps, owner, { ...settings, headers })).rejects.toThrow(/overridden/);
  });

  deliveryTest(
    "are changed in parts, disabled and enabled, and every change is audited",
    async ({ hooks, deps }) => {
      const owner = await hooks.owner();
      const headers = { "x-team": "blue" };
      const { id } = await createEndpoint(deps, owner, { ...settings, headers });
      const changes = { description: "Blue team", maxPerSecond: 7 };
      // As the form does, this sends a field that stays as it is.
      const sent = { id, ...changes, headers };
      expect(await updateEndpoint(deps, owner, sent)).toMatchObject({ ...changes, headers });
      await disableEndpoint(deps, owner, { id });
      await expect(disableEndpoint(deps, owner, { id })).rejects.toEqual(appError("conflict"));
      await expect(sendTestEvent(deps, owner, { id })).rejects.toThrow(/Enable it/);
      await enableEndpoint(deps, owner, { id, held: "deliver", perSecond: 10 });
      await deleteEndpoint(deps, owner, { id });
      await expect(getEndpoint(deps, owner, { id })).rejects.toEqual(appError("not_found"));
      const { items } = await listAudit(deps, owner, ListAudit.parse({}));
      expect(items.map(({ action }) => action).slice(0, 5)).toEqual([
        "webhook_endpoint.deleted",
        "webhook_endpoint.enabled",
        "webhook_endpoint.disabled",
        "webhook_endpoint.changed",
        "webhook_endpoint.created",
      ]);
      expect(items[3]?.detail).toEqual({ url: settings.url, changed: Object.keys(changes) });
    },
  );
});
