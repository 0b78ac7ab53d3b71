import { type Caller, newId, Role, Scope } from "@querybell/domain";
import { describe, expect } from "vitest";
import { createKey } from "../keys/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import {
  changeRole,
  createPasswordResetLink,
  leaveOrganization,
  listMembers,
  removeMember,
} from "./index.ts";

/** An organization with a person of each role, and another member as the target. */
const test = dbTest.extend("team", { scope: "file" }, async ({ make, deps, clock }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  await clock.advance(1);
  const admin = await make.member(organizationId, "admin");
  await clock.advance(1);
  const people = { owner, admin, member: await make.member(organizationId) };
  const { userId } = await make.user();
  const roleOfTarget = async () =>
    (await deps.db.prisma.member.findFirst({ where: { organizationId, userId } }))?.role;
  const setTarget = async (role: Role) => {
    const key = { organizationId, userId };
    await deps.db.prisma.member.upsert({
      where: { organizationId_userId: key },
      create: { ...key, role, createdAt: clock.now() },
      update: { role },
    });
  };
  return { organizationId, people, userId, roleOfTarget, setTarget };
});

/** Owners manage everybody, admins everybody but owners. The api lets nobody else manage people. */
const mayManage = (actor: "owner" | "admin", ...concerned: Role[]) =>
  actor === "owner" || !concerned.includes("owner");

describe.for(["owner", "admin"] as const)("as %s", (actor) => {
  test("roles are changed as the rules allow, and the log says so", async ({ team, deps }) => {
    const { organizationId, people, userId } = team;
    for (const from of Role.options) {
      for (const to of Role.options) {
        await team.setTarget(from);
        const change = () => changeRole(deps, people[actor], { userId, role: to });
        const allowed = mayManage(actor, from, to);
        const logged = await auditDuring(deps, organizationId, async () => {
          if (allowed) await change();
          else await expect(change(), `${from} to ${to}`).rejects.toEqual(appError("forbidden"));
        });
        expect(await team.roleOfTarget()).toBe(allowed ? to : from);
        const entry = {
          action: "member.role_changed",
          actorUserId: people[actor].userId,
          targetId: userId,
          detail: { from, to },
        };
        expect(logged).toEqual(allowed && from !== to ? [entry] : []);
      }
    }
  });

  test("people are removed as the rules allow, and the log says so", async ({ team, deps }) => {
    const { organizationId, people, userId } = team;
    for (const role of Role.options) {
      await team.setTarget(role);
      const remove = () => removeMember(deps, people[actor], { userId });
      const allowed = mayManage(actor, role);
      const logged = await auditDuring(deps, organizationId, async () => {
        if (allowed) await remove();
        else await expect(remove(), role).rejects.toEqual(appError("forbidden"));
      });
      expect(await team.roleOfTarget()).toBe(allowed ? undefined : role);
      const actorUserId = people[actor].userId;
      const entry = { action: "member.removed", actorUserId, targetId: userId, detail: { role } };
      expect(logged).toEqual(allowed ? [entry] : []);
    }
  });
});

describe("members", () => {
  test("see each other, oldest membership first", async ({ team, deps }) => {
    await deps.db.prisma.member.deleteMany({ where: { userId: team.userId } });
    const listed = await listMembers(deps, team.people.member);
    expect(listed.map(({ userId, email, role }) => ({ userId, email, role }))).toEqual(
      Object.values(team.people).map(({ userId, email, role }) => ({ userId, email, role })),
    );
  });

  test("can leave, and take their keys with them", async ({ make, deps }) => {
    const { organizationId } = await make.owner();
    const member = await make.member(organizationId);
    const { id } = await createKey(deps, member, { name: "Test key", scopes: [...Scope.options] });
    const logged = await auditDuring(deps, organizationId, () => leaveOrganization(deps, member));
    const { userId } = member;
    expect(logged).toEqual([
      { action: "member.removed", actorUserId: userId, targetId: userId, detail: { role: "member" } },
    ]);
    expect(await deps.db.prisma.apiKey.findUnique({ where: { id } })).toBeNull();
  });

  test("that do not exist cannot be changed or removed", async ({ team, deps, clock }) => {
    const userId = newId(clock);
    const { owner } = team.people;
    const logged = await auditDuring(deps, team.organizationId, async () => {
      await expect(removeMember(deps, owner, { userId })).rejects.toEqual(appError("not_found"));
      await expect(changeRole(deps, owner, { userId, role: "admin" })).rejects.toEqual(appError("not_found"));
      await expect(createPasswordResetLink(deps, owner, { userId })).rejects.toEqual(appError("not_found"));
    });
    expect(logged).toEqual([]);
  });
});

describe("the last owner", () => {
  test("can neither leave nor become anything else, and is told why", async ({ make, deps }) => {
    const owner = await make.owner();
    const { userId, organizationId } = owner;
    const logged = await auditDuring(deps, organizationId, async () => {
      await expect(leaveOrganization(deps, owner)).rejects.toThrow("Make somebody else an owner first.");
      await expect(removeMember(deps, owner, { userId })).rejects.toEqual(appError("last_owner"));
      for (const role of ["admin", "member"] as const) {
        await expect(changeRole(deps, owner, { userId, role })).rejects.toEqual(appError("last_owner"));
      }
    });
    expect(logged).toEqual([]);
    await expect(listMembers(deps, owner)).resolves.toMatchObject([{ userId, role: "owner" }]);
  });

  test("remains when two owners leave concurrently, tried twenty times", async ({ make, deps }) => {
    const [ann, ben] = [await make.user(), await make.user()];
    const ways = [
      (mine: Caller) => leaveOrganization(deps, mine),
      (mine: Caller, theirs: Caller) => changeRole(deps, mine, { userId: theirs.userId, role: "member" }),
    ];
    for (const goAway of ways) {
      for (let round = 0; round < 20; round++) {
        const { organizationId } = await make.organization();
        const [a, b] = [ann, ben].map(({ userId, sessionId }): Caller => {
          const via = { kind: "session", sessionId } as const;
          return { userId, organizationId, role: "owner", via };
        });
        if (!a || !b) throw new Error("there are two of them");
        await deps.db.prisma.member.createMany({
          data: [a, b].map(({ userId }) => ({
            organizationId,
            userId,
            role: "owner",
            createdAt: new Date(),
          })),
        });
        const logged = await auditDuring(deps, organizationId, async () => {
          const gone = await Promise.allSettled([goAway(a, b), goAway(b, a)]);
          const [failed, ...more] = gone.filter(({ status }) => status === "rejected");
          expect(failed).toMatchObject({ reason: { code: "last_owner" } });
          expect(more).toEqual([]);
        });
        expect(logged).toHaveLength(1);
        expect(await deps.db.prisma.member.count({ where: { organizationId, role: "owner" } })).toBe(1);
      }
    }
  });
});
