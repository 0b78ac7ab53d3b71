import { describe, expect } from "vitest";
import { changeSettingsAsOperator } from "../operator/index.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import { getSettings, updateSettings } from "./index.ts";

const test = dbTest.extend("team", { scope: "file" }, async ({ make, deps }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const admin = await make.member(organizationId, "admin");
  const { slug } = await getSettings(deps, admin);
  return { owner, admin, organizationId, slug };
});

describe("an admin", () => {
  test("changes settings, and each one that differs is logged once", async ({ team, deps }) => {
    const { admin } = team;
    const before = await getSettings(deps, admin);
    const changes = { name: "Renamed", resultLifetimeSeconds: 7200 };
    const entry = (setting: keyof typeof changes) => ({
      action: "settings.changed",
      actorUserId: admin.userId,
      targetId: team.organizationId,
      detail: { setting, from: before[setting], to: changes[setting] },
    });
    const logged = await auditDuring(deps, team.organizationId, async () => {
      const after = await updateSettings(deps, admin, changes);
      expect(after).toEqual({ ...before, ...changes });
      await updateSettings(deps, admin, changes);
      await updateSettings(deps, admin, {});
    });
    expect(logged).toEqual([entry("name"), entry("resultLifetimeSeconds")]);
    await expect(getSettings(deps, admin)).resolves.toMatchObject(changes);
  });

  test("can retire the REST routes", async ({ team, deps }) => {
    await changeSettingsAsOperator(deps, { slug: team.slug, restCompatibility: "live" });
    const changes = { restCompatibility: "retired" } as const;
    const logged = await auditDuring(deps, team.organizationId, () =>
      expect(updateSettings(deps, team.admin, changes)).resolves.toMatchObject(changes),
    );
    expect(logged).toMatchObject([{ detail: { setting: "restCompatibility", from: "live", to: "retired" } }]);
    await expect(getSettings(deps, team.admin)).resolves.toMatchObject(changes);
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
      const before = await getSettings(deps, team.admin);
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
      await expect(getSettings(deps, team.admin)).resolves.toMatchObject(changes);
    }
  });

  test("is told when there is no such organization", async ({ deps }) => {
    await expect(changeSettingsAsOperator(deps, { slug: "nowhere" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
