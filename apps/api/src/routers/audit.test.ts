import { updateSettings } from "@querybell/core/organizations";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("the audit log", () => {
  apiTest(
    "is downloaded by admins, filtered, as CSV and as JSON lines",
    async ({ api, make, makeKey, deps }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      await updateSettings(deps, owner, { name: 'Quoted "name"' });
      const get = async (path: string, headers: Record<string, string>) => {
        const answer = await api.fetch(`/api/audit-log.${path}`, { headers });
        return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
      };
      const cookieOf = async ({ email }: { email: string }) => ({ cookie: await api.sessionCookie(email) });
      const cookie = await cookieOf(owner);

      const csv = await get("csv?action=settings.changed", cookie);
      expect(csv).toMatchObject({ status: 200, type: "text/csv; charset=utf-8; header=present" });
      const [header, line, ...none] = csv.text.trimEnd().split("\r\n");
      expect(header).toBe("id,at,action,by_operator,user_id,user_name,user_email,key_id,target_id,detail");
      expect(line).toContain(`settings.changed,false,${owner.userId},${owner.name},${owner.email},,`);
      expect(line).toContain('\\""name\\""');
      expect(none).toEqual([]);

      const lines = await get(`jsonl?actor=${owner.userId}`, cookie);
      const entries = lines.text
        .trimEnd()
        .split("\n")
        .map((one): { action: string } => JSON.parse(one));
      expect(entries.map(({ action }) => action)).toEqual([
        "audit_log.exported",
        "audit_log.exported",
        "settings.changed",
      ]);

      expect(await get("csv?action=nothing", cookie)).toMatchObject({ status: 400 });
      expect(await get("csv", await cookieOf(member))).toMatchObject({ status: 403 });
      const { key } = await makeKey(owner);
      expect(await get("csv", { authorization: `Bearer ${key}` })).toMatchObject({ status: 403 });
      expect(await get("csv", {})).toMatchObject({ status: 401 });
    },
  );

  apiTest("gives between one and a hundred entries", async ({ api, make }) => {
    const { audit } = await api.signedIn(await make.owner());
    for (const limit of [0, 101, 1.5, -1]) {
      await expect(audit.list.query({ limit })).rejects.toEqual(apiError("invalid_request"));
    }
  });

  apiTest("is not filtered by a time that ends before it begins", async ({ api, make }) => {
    const { audit } = await api.signedIn(await make.owner());
    const [from, until] = ["2027-01-02T00:00:00Z", "2027-01-01T00:00:00Z"];
    await expect(audit.list.query({ from, until })).rejects.toEqual(apiError("invalid_request", /until/));
  });
});
