import { insertKey } from "@querybell/core/keys";
import { dbTest } from "@querybell/core/testing";
import { expect } from "vitest";
import { ensureDemoKey } from "./demo-key.ts";

dbTest(
  "the demo's key of an earlier version stays valid, and gets the scopes of this one",
  async ({ deps, make }) => {
    const { organizationId, userId } = await make.owner();
    const owner = { organizationId, userId };
    const earlier = await deps.db.transaction((tx) =>
      insertKey({ ...deps, tx }, owner, { name: "Demo key of npm start", scopes: ["queries:read"] }),
    );
    const ensure = (known: string | undefined) =>
      deps.db.transaction((tx) => ensureDemoKey({ ...deps, tx }, owner, known));
    const find = () => deps.db.prisma.apiKey.findUniqueOrThrow({ where: { id: earlier.id } });

    const another = await ensure(undefined);
    expect(another.text).not.toBe(earlier.key);
    expect(await find(), "whose text was not stored then").toMatchObject({
      revokedAt: null,
      scopes: ["queries:read"],
    });

    const kept = await ensure(earlier.key);
    expect(kept.text).toBe(earlier.key);
    expect((await find()).scopes).toEqual(expect.arrayContaining(["queries:read", "automations:run"]));
  },
);
