import { auditDuring } from "@querybell/core/testing";
import { Role } from "@querybell/domain";
import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

apiTest(
  "a member changes nobody's role and removes nobody, and nothing is logged",
  async ({ api, make, deps }) => {
    const { organizationId } = await make.owner();
    const { members } = await api.signedIn(await make.member(organizationId));
    const refused = apiError("forbidden");
    for (const from of Role.options) {
      const { userId } = await make.member(organizationId, from);
      const logged = await auditDuring(deps, organizationId, async () => {
        for (const to of Role.options) {
          const change = members.changeRole.mutate({ userId, role: to });
          await expect(change, `${from} to ${to}`).rejects.toEqual(refused);
        }
        await expect(members.remove.mutate({ userId }), from).rejects.toEqual(refused);
      });
      expect(logged).toEqual([]);
      const found = await deps.db.prisma.member.findFirst({ where: { organizationId, userId } });
      expect(found?.role).toBe(from);
    }
  },
);
