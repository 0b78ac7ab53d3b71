import { Scope, type Scope as ScopeName } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiTest } from "./testing/api-test.ts";
import { callProcedure, everyProcedure } from "./testing/every-procedure.ts";

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const refusals = ["unauthorized", "forbidden"];

describe("every procedure", () => {
  apiTest("refuses somebody without credentials, unless it is public", async ({ api }) => {
    for (const procedure of everyProcedure) {
      for (const { input } of procedure.samples) {
        const { status, reason } = await callProcedure(api, procedure, { input });
        if (procedure.access === "public") expect(refusals, procedure.path).not.toContain(reason);
        else expect([status, reason], procedure.path).toEqual([401, "unauthorized"]);
      }
    }
  });

  apiTest("for admins refuses a member", async ({ api, make }) => {
    const { organizationId } = await make.owner();
    const cookie = await api.sessionCookie((await make.member(organizationId)).email);
    const headers = { cookie, origin: api.origin };
    for (const procedure of everyProcedure.filter(({ access }) => access === "admin")) {
      for (const { input } of procedure.samples) {
        const { status, reason } = await callProcedure(api, procedure, { input, headers });
        expect([status, reason], procedure.path).toEqual([403, "forbidden"]);
      }
    }
  });

  apiTest(
    "refuses a key with all scopes, unless a scope is named or it is for keys",
    async ({ api, make, makeKey }) => {
      const { key } = await makeKey(await make.owner());
      for (const procedure of everyProcedure.filter(({ access }) => access !== "public")) {
        const [{ input }] = procedure.samples;
        const { reason } = await callProcedure(api, procedure, { input, headers: bearer(key) });
        const allowed = procedure.access === "key" || procedure.scope !== undefined;
        if (allowed) expect(refusals, procedure.path).not.toContain(reason);
        else expect(refusals, procedure.path).toContain(reason);
      }
    },
  );

  apiTest("with a scope refuses a key that has every other scope", async ({ api, make, makeKey }) => {
    const owner = await make.owner();
    const keyWithout = new Map<ScopeName, string>();
    for (const scope of Scope.options) {
      const scopes = Scope.options.filter((other) => other !== scope);
      keyWithout.set(scope, (await makeKey(owner, { scopes })).key);
    }
    for (const procedure of everyProcedure) {
      if (!procedure.scope) continue;
      const [{ input }] = procedure.samples;
      const headers = bearer(keyWithout.get(procedure.scope) ?? "");
      const { status, reason } = await callProcedure(api, procedure, { input, headers });
      expect([status, reason], procedure.path).toEqual([403, "forbidden"]);
    }
  });

  apiTest("that manages the organization names no scope, so that no key can ever call it", () => {
    const managing = everyProcedure.filter(({ access }) => access === "admin" || access === "person");
    expect(managing.length).toBeGreaterThan(0);
    expect(managing.filter(({ scope }) => scope !== undefined)).toEqual([]);
  });
});
