import { organizationHeader } from "@querybell/domain";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure, everyProcedure } from "../testing/every-procedure.ts";
import { sendUpload } from "../testing/send-upload.ts";

apiTest(
  "a session that names another organization is refused by every procedure of members, and does nothing",
  async ({ api, make, deps }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    const cookie = await api.sessionCookie(owner.email);
    const headers = { cookie, origin: api.origin, [organizationHeader]: other.organizationId };
    const audited = await deps.db.prisma.auditEntry.count();
    for (const procedure of everyProcedure) {
      if (!["viewer", "member", "admin"].includes(procedure.access)) continue;
      const [{ input }] = procedure.samples;
      const { status, reason } = await callProcedure(api, procedure, { input, headers });
      expect([procedure.path, status, reason]).toEqual([procedure.path, 409, "session_switched"]);
    }
    const upload = await sendUpload(api, { content: "a\n1\n", headers });
    expect([upload.status, await upload.json()]).toMatchObject([409, { code: "session_switched" }]);
    expect(await deps.db.prisma.auditEntry.count()).toBe(audited);
    expect(await deps.db.prisma.upload.count()).toBe(0);
  },
);

apiTest("a session that names its own organization is let through", async ({ api, make }) => {
  const owner = await make.owner();
  const cookie = await api.sessionCookie(owner.email);
  const answer = await api.fetch("/api/trpc/settings.get", {
    headers: { cookie, [organizationHeader]: owner.organizationId },
  });
  expect(answer.status).toBe(200);
});

apiTest(
  "what concerns the person is not refused: it tells which organization the session is in",
  async ({ api, make }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    const cookie = await api.sessionCookie(owner.email);
    const answer = await api.fetch("/api/trpc/me.get", {
      headers: { cookie, [organizationHeader]: other.organizationId },
    });
    expect(await answer.json()).toMatchObject({ result: { data: { organizationId: owner.organizationId } } });
  },
);

apiTest("an API key acts in its own organization, whatever is named", async ({ api, make, makeKey }) => {
  const [owner, other] = [await make.owner(), await make.owner()];
  const { key } = await makeKey(owner);
  const answer = await api.fetch("/api/trpc/queries.list", {
    headers: { authorization: `Bearer ${key}`, [organizationHeader]: other.organizationId },
  });
  expect(answer.status).toBe(200);
});
