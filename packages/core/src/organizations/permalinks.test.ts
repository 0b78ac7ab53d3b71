import { describe, expect } from "vitest";
import { dbTest } from "../testing/db-test.ts";
import { locatePermalink } from "./index.ts";

describe("a permalink", () => {
  dbTest("is located in the organizations of the person alone", async ({ deps, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1");
    const elsewhere = await make.owner();
    const locate = () => locatePermalink(deps, elsewhere, { kind: "reference", shortId });
    expect(await locate()).toBeNull();
    const { organizationId } = owner;
    await deps.db.prisma.member.create({
      data: { organizationId, userId: elsewhere.userId, role: "member", createdAt: deps.clock.now() },
    });
    expect(await locate()).toMatchObject({ organizationId });
    await deps.db.prisma.queryReference.update({ where: { shortId }, data: { deletedAt: deps.clock.now() } });
    expect(await locate()).toBeNull();
  });
});
