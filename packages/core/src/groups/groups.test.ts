import { newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import { removeMember } from "../members/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import {
  changeGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  renameGroup,
  setGroupsOfMember,
} from "./index.ts";

describe("a group", () => {
  dbTest("has a name that no other group has, whatever its case", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: groupId } = await createGroup(deps, owner, { name: "Sales" });
    await createGroup(deps, owner, { name: "Support" });
    await expect(createGroup(deps, owner, { name: "SALES" })).rejects.toEqual(appError("conflict"));
    await expect(renameGroup(deps, owner, { groupId, name: "support" })).rejects.toEqual(
      appError("conflict"),
    );
    await renameGroup(deps, owner, { groupId, name: "sales" });
    await createGroup(deps, await make.owner(), { name: "Sales" });
    expect((await listGroups(deps, owner)).map(({ name }) => name)).toEqual(["sales", "Support"]);
  });

  dbTest("that two people create at once is created once", async ({ deps, make }) => {
    const owner = await make.owner();
    const twice = await Promise.allSettled([1, 2].map(() => createGroup(deps, owner, { name: "Once" })));
    expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  dbTest("has members of its organization until they leave it", async ({ deps, make }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id: groupId } = await createGroup(deps, owner, { name: "Sales" });
    const add = [member.userId, owner.userId];
    await changeGroupMembers(deps, owner, { groupId, add, remove: [] });
    expect((await getGroup(deps, owner, { groupId })).memberIds.sort()).toEqual(add.sort());
    const stranger = await make.owner();
    await expect(
      changeGroupMembers(deps, owner, { groupId, add: [stranger.userId], remove: [] }),
    ).rejects.toEqual(appError("not_found"));
    await expect(getGroup(deps, stranger, { groupId })).rejects.toEqual(appError("not_found"));
    await expect(deleteGroup(deps, stranger, { groupId })).rejects.toEqual(appError("not_found"));
    await removeMember(deps, owner, { userId: member.userId });
    expect(await getGroup(deps, owner, { groupId })).toMatchObject({ memberIds: [owner.userId] });
    const entries = await deps.db.prisma.auditEntry.findMany({
      where: { targetId: groupId },
      orderBy: { id: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual(["group.created", "group.members_changed"]);
  });

  dbTest("of an identity provider is changed only by it", async ({ deps, make }) => {
    const owner = await make.owner();
    const { organizationId, userId } = owner;
    const manual = await createGroup(deps, owner, { name: "Sales" });
    await changeGroupMembers(deps, owner, { groupId: manual.id, add: [userId], remove: [] });
    const set = (source: "oidc" | "scim", ...names: string[]) =>
      deps.db.transaction((tx) =>
        setGroupsOfMember(
          { ...deps, tx },
          { organizationId, userId, source },
          names.map((name) => ({ externalId: name, name })),
        ),
      );
    await set("oidc", "Sales", "Staff");
    await set("scim", "Sales");
    const groups = async () =>
      (await listGroups(deps, owner)).map(({ name, memberCount }) => `${name}: ${memberCount}`);
    expect(await groups()).toEqual(["Sales: 1", "Sales (SCIM): 1", "Sales (single sign-on): 1", "Staff: 1"]);
    await set("oidc", "Staff");
    expect(await groups()).toEqual(["Sales: 1", "Sales (SCIM): 1", "Sales (single sign-on): 0", "Staff: 1"]);
    const staff = await deps.db.prisma.group.findFirstOrThrow({ where: { organizationId, name: "Staff" } });
    await expect(
      changeGroupMembers(deps, owner, { groupId: staff.id, add: [], remove: [userId] }),
    ).rejects.toEqual(appError("conflict"));
    await expect(renameGroup(deps, owner, { groupId: staff.id, name: "All" })).rejects.toEqual(
      appError("conflict"),
    );
  });

  dbTest("is one of at most 1,000", async ({ deps, make }) => {
    const owner = await make.owner();
    await deps.db.prisma.group.createMany({
      data: Array.from({ length: 1_000 }, (_, number) => ({
        id: newId(deps.clock),
        organizationId: owner.organizationId,
        name: `Group ${number}`,
        createdAt: deps.clock.now(),
        updatedAt: deps.clock.now(),
      })),
    });
    await expect(createGroup(deps, owner, { name: "One more" })).rejects.toEqual(appError("conflict"));
  });
});
