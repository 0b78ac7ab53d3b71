import { auditDuring } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure } from "../testing/every-procedure.ts";

const test = apiTest.extend("team", { scope: "file" }, async ({ api, make }) => {
  const { organizationId } = await make.owner();
  const admin = await make.member(organizationId, "admin");
  const cookie = await api.sessionCookie(admin.email);
  const client = api.withCookie(cookie);
  /** As a program might send it, past the client's types. */
  const send = (input: unknown) =>
    callProcedure(
      api,
      { path: "settings.update", type: "mutation" },
      { input, headers: { cookie, origin: api.origin } },
    );
  return { organizationId, client, send };
});

describe("an admin", () => {
  test("cannot bring the REST routes back", async ({ team, deps }) => {
    const retired = { restCompatibility: "retired" } as const;
    await expect(team.client.settings.update.mutate(retired)).resolves.toMatchObject(retired);
    const logged = await auditDuring(deps, team.organizationId, async () => {
      const { status, text } = await team.send({ restCompatibility: "live" });
      expect(status).toBe(400);
      expect(text).toContain("operator");
    });
    expect(logged).toEqual([]);
    await expect(team.client.settings.get.query()).resolves.toMatchObject(retired);
  });

  test("cannot turn webhooks on, set what does not exist, or leave the bounds", async ({ team, deps }) => {
    const before = await team.client.settings.get.query();
    const wrong: [path: string, input: Record<string, unknown>][] = [
      ["", { webhooksEnabled: true }],
      ["", { slug: "mine" }],
      ["", { name: "Fine", organizationId: team.organizationId }],
      ["resultLifetimeSeconds", { resultLifetimeSeconds: 59 }],
      ["resultLifetimeSeconds", { resultLifetimeSeconds: 31_536_001 }],
      ["resultLifetimeSeconds", { resultLifetimeSeconds: 60.5 }],
      ["resultLifetimeSeconds", { resultLifetimeSeconds: "3600" }],
      ["name", { name: "  " }],
      ["name", { name: "x".repeat(101) }],
    ];
    const logged = await auditDuring(deps, team.organizationId, async () => {
      for (const [path, input] of wrong) {
        const { status, text } = await team.send(input);
        expect([status, JSON.parse(text)], text).toMatchObject([
          400,
          { error: { data: { reason: "invalid_request", errors: [{ path }] } } },
        ]);
      }
    });
    expect(logged).toEqual([]);
    await expect(team.client.settings.get.query()).resolves.toEqual(before);
  });

  test("can use the bounds themselves", async ({ team }) => {
    for (const resultLifetimeSeconds of [60, 31_536_000]) {
      const answer = await team.client.settings.update.mutate({ resultLifetimeSeconds });
      expect(answer).toMatchObject({ resultLifetimeSeconds });
    }
  });
});

test("a member sees the settings and cannot change them", async ({ api, make, team }) => {
  const member = await api.signedIn(await make.member(team.organizationId));
  const { slug } = await team.client.settings.get.query();
  await expect(member.settings.get.query()).resolves.toMatchObject({ slug });
  await expect(member.settings.update.mutate({ name: "Mine" })).rejects.toEqual(apiError("forbidden"));
});

test("every member can read how long the deployment keeps what it writes down", async ({
  api,
  make,
  team,
}) => {
  const member = await api.signedIn(await make.member(team.organizationId));
  await expect(member.settings.retention.query()).resolves.toEqual({
    webhookHistoryDays: 30,
    queryRunDays: 90,
    automationRunDays: 90,
    notificationDays: 90,
    auditDays: 365,
    heldDeliveryDays: 30,
    rowVersionDays: 7,
    endedInvitationDays: 30,
  });
});
