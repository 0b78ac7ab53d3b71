import { type CreateWebhookEndpoint, newId } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const settings = {
  url: "http://127.0.0.1:9/hook",
  eventTypes: ["automation.run.failed"],
} satisfies Partial<CreateWebhookEndpoint>;

apiTest(
  "webhook endpoints are managed only where the operator has enabled webhooks",
  async ({ api, make }) => {
    const client = await api.signedIn(await make.owner());
    await expect(client.webhookEndpoints.list.query()).rejects.toEqual(apiError("webhooks_not_enabled"));
    await expect(client.webhookEndpoints.create.mutate(settings)).rejects.toThrow(
      /pnpm operator webhooks on/,
    );
  },
);

apiTest(
  "times that are asked for are read with and without milliseconds, and answered with them",
  async ({ api, make, deps, clock }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    await deps.db.prisma.organization.update({
      where: { id: organizationId },
      data: { webhooksEnabled: true },
    });
    const { webhookDeliveries, webhookEndpoints, webhookRecoveries } = await api.signedIn(owner);
    const { id: endpointId } = await webhookEndpoints.create.mutate(settings);
    const data = { automationId: newId(clock), runId: newId(clock), reason: "stopped" };
    const occurrence = { type: "automation.run.failed", data } as const;
    await deps.db.transaction((tx) =>
      emitEvents({ tx, clock }, [{ organizationId, occurrence, cause: newId(clock) }]),
    );
    expect((await webhookDeliveries.search.query()).items).toHaveLength(1);
    const found = async (filter: { from?: string; until?: string }) =>
      (await webhookDeliveries.search.query(filter)).items.length;
    const nextYear = `${clock.now().getUTCFullYear() + 1}-01-01T00:00:00`;
    expect(await found({ from: "2020-01-01T00:00:00Z" })).toBe(1);
    expect(await found({ until: "2020-01-01T00:00:00.5Z" })).toBe(0);
    expect(await found({ from: `${nextYear}.25Z` })).toBe(0);
    expect(await found({ until: `${nextYear}.000Z` })).toBe(1);
    const { id, since } = await webhookRecoveries.start.mutate({ endpointId, since: "2020-01-01T00:00:00Z" });
    expect(since).toBe("2020-01-01T00:00:00.000Z");
    expect(await webhookRecoveries.list.query()).toMatchObject([{ id, since }]);
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
  },
);
