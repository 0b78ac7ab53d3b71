import { changeSettingsAsOperator } from "@querybell/core/operator";
import { updateSettings } from "@querybell/core/organizations";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";
import { auditDuring } from "@querybell/core/testing";
import { callProcedure } from "../testing/every-procedure.ts";

const test = apiTest.extend("team", { scope: "file" }, async ({ api, make }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
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
  const { slug } = await client.settings.get.query();
  return { owner, admin, organizationId, client, send, slug };
});

describe("an admin", () => {
  test("changes settings, and each one that differs is logged once", async ({ team, deps }) => {
    const before = await team.client.settings.get.query();
    const changes = { name: "Renamed", resultLifetimeSeconds: 7200 };
    const entry = (setting: keyof typeof changes) => ({
      action: "settings.changed",
      actorUserId: team.admin.userId,
      targetId: team.organizationId,
      detail: { setting, from: before[setting], to: changes[setting] },
    });
    const logged = await auditDuring(deps, team.organizationId, async () => {
      const after = await team.client.settings.update.mutate(changes);
      expect(after).toEqual({ ...before, ...changes });
      await team.client.settings.update.mutate(changes);
      await team.client.settings.update.mutate({});
    });
    expect(logged).toEqual([entry("name"), entry("resultLifetimeSeconds")]);
    await expect(team.client.settings.get.query()).resolves.toMatchObject(changes);
  });

  test("can retire the REST routes and not bring them back", async ({ team, deps }) => {
    await changeSettingsAsOperator(deps, { slug: team.slug, restCompatibility: "live" });
    const logged = await auditDuring(deps, team.organizationId, async () => {
      await expect(
        team.client.settings.update.mutate({ restCompatibility: "retired" }),
      ).resolves.toMatchObject({ restCompatibility: "retired" });
      const { status, text } = await team.send({ restCompatibility: "live" });
      expect(status).toBe(400);
      expect(text).toContain("operator");
    });
    expect(logged).toMatchObject([{ detail: { setting: "restCompatibility", from: "live", to: "retired" } }]);
    await expect(team.client.settings.get.query()).resolves.toMatchObject({ restCompatibility: "retired" });
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

  test("at the same moment as another leaves a log in which each change follows the last", async ({
    team,
    deps,
  }) => {
    const names = Array.from({ length: 8 }, (_, at) => `Name ${at}`);
    const logged = await auditDuring(deps, team.organizationId, () =>
      Promise.all(names.map((name) => updateSettings(deps, team.owner, { name }))),
    );
    const changes = logged.map(({ detail }) => detail as { from: string; to: string });
    const from = new Map(changes.map((change) => [change.from, change.to]));
    expect(changes.map(({ to }) => to).toSorted()).toEqual(names);
    expect(from.size, "no two changes started from the same name").toBe(names.length);
  });
});

describe("the operator", () => {
  test("sets webhooks and the REST routes in both directions, and is logged as nobody's", async ({
    team,
    deps,
  }) => {
    const { slug, organizationId } = team;
    for (const on of [true, false]) {
      const changes = { webhooksEnabled: on, restCompatibility: on ? "live" : "retired" } as const;
      const before = await team.client.settings.get.query();
      const logged = await auditDuring(deps, organizationId, () =>
        changeSettingsAsOperator(deps, { slug, ...changes }),
      );
      const differing = (["webhooksEnabled", "restCompatibility"] as const).filter(
        (setting) => before[setting] !== changes[setting],
      );
      expect(logged.map(({ actorUserId, detail }) => ({ actorUserId, detail }))).toEqual(
        differing.map((setting) => ({
          actorUserId: null,
          detail: { setting, from: before[setting], to: changes[setting] },
        })),
      );
      await expect(team.client.settings.get.query()).resolves.toMatchObject(changes);
    }
  });

  test("is told when there is no such organization", async ({ deps }) => {
    await expect(changeSettingsAsOperator(deps, { slug: "nowhere" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

test("a member sees the settings and cannot change them", async ({ api, make, team }) => {
  const member = await api.signedIn(await make.member(team.organizationId));
  await expect(member.settings.get.query()).resolves.toMatchObject({ slug: team.slug });
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
