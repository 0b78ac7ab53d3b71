import { newId, Scope, type Scope as ScopeName } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure, everyProcedure as walked } from "../testing/every-procedure.ts";
import { dangerousProcedures, whoMayCall } from "../testing/who-may-call.ts";

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const refusals = ["unauthorized", "forbidden"];
const isForAdmins = (access: string) => access === "admin" || access === "webhook admin";

/** Every procedure with its audience according to the table, not to its own metadata. */
const everyProcedure = walked.flatMap((procedure) => {
  const [access, scope] = whoMayCall[procedure.path] ?? [];
  return access ? [{ ...procedure, access, scope }] : [];
});

describe("the table of who may call what", () => {
  test("has a row for every procedure and no other rows", () => {
    const paths = walked.map(({ path }) => path);
    const missing = paths.filter((path) => !Object.hasOwn(whoMayCall, path));
    expect(missing, "Decide who may call these, and say so in testing/who-may-call.ts.").toEqual([]);
    const gone = Object.keys(whoMayCall).filter((path) => !paths.includes(path));
    expect(gone, "Remove these from testing/who-may-call.ts: there is no such procedure.").toEqual([]);
  });

  test("agrees with what the procedures declare", () => {
    for (const { path, access, scope } of everyProcedure) {
      const declared = walked.find((procedure) => procedure.path === path);
      expect([path, declared?.access, declared?.scope, declared?.needsWebhooks]).toEqual([
        path,
        isForAdmins(access) ? "admin" : access,
        scope,
        access === "webhook admin",
      ]);
    }
  });
});

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
    for (const procedure of everyProcedure.filter(({ access }) => isForAdmins(access))) {
      for (const { input } of procedure.samples) {
        const { status, reason } = await callProcedure(api, procedure, { input, headers });
        expect([status, reason], procedure.path).toEqual([403, "forbidden"]);
      }
    }
  });

  apiTest(
    "for members refuses a viewer and their key, and others answer them",
    async ({ api, make, makeKey, deps }) => {
      const owner = await make.owner();
      const { organizationId } = owner;
      const viewer = await make.member(organizationId, "viewer");
      const { key } = await makeKey(viewer);
      const session = { cookie: await api.sessionCookie(viewer.email), origin: api.origin };
      for (const procedure of everyProcedure) {
        // These would change the organization of the session, and so the answers of the procedures after them.
        if (procedure.path === "members.leave" || procedure.access === "person") continue;
        const [{ input }] = procedure.samples;
        const isRefused = procedure.access === "member" || isForAdmins(procedure.access);
        if (procedure.access !== "key") {
          const { reason } = await callProcedure(api, procedure, { input, headers: session });
          expect([procedure.path, reason === "forbidden"]).toEqual([procedure.path, isRefused]);
        }
        if (!procedure.scope) continue;
        const { reason } = await callProcedure(api, procedure, { input, headers: bearer(key) });
        expect([procedure.path, reason === "forbidden"]).toEqual([procedure.path, isRefused]);
      }
      // Nothing of the organization was changed, also not by a procedure that answers a viewer.
      expect(await deps.db.prisma.query.count({ where: { organizationId } })).toBe(0);
    },
  );

  apiTest(
    "about webhooks refuses an owner while the operator has not enabled them",
    async ({ api, make }) => {
      const headers = { cookie: await api.sessionCookie((await make.owner()).email), origin: api.origin };
      // Leaving the organization would change the answers of the procedures after it.
      for (const procedure of everyProcedure.filter(
        ({ access }) => access !== "key" && access !== "public",
      )) {
        if (procedure.path === "members.leave") continue;
        const [{ input }] = procedure.samples;
        const { reason } = await callProcedure(api, procedure, { input, headers });
        const isRefused = reason === "webhooks_not_enabled";
        expect([procedure.path, isRefused]).toEqual([procedure.path, procedure.access === "webhook admin"]);
      }
    },
  );

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

  apiTest("that is dangerous asks for a second factor, and no other does", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const headers = { cookie: await api.sessionCookie(owner.email), origin: api.origin };
    const id = newId(deps.clock);
    const passkey = { id, userId: owner.userId, name: "Phone", credentialId: id };
    await deps.db.prisma.passkey.create({
      data: { ...passkey, publicKey: new Uint8Array(1), counter: 0, createdAt: deps.clock.now() },
    });
    const asking: string[] = [];
    for (const procedure of everyProcedure) {
      if (["key", "public"].includes(procedure.access) || procedure.path === "members.leave") continue;
      const [{ input }] = procedure.samples;
      const { reason } = await callProcedure(api, procedure, { input, headers });
      if (reason === "confirmation_required") asking.push(procedure.path);
    }
    expect(asking.toSorted()).toEqual(dangerousProcedures.toSorted());
  });

  apiTest(
    "for members refuses a session without the second factor that is demanded",
    async ({ api, make, deps }) => {
      const owner = await make.owner();
      const headers = { cookie: await api.sessionCookie(owner.email), origin: api.origin };
      await deps.db.prisma.organization.update({
        where: { id: owner.organizationId },
        data: { secondFactorFor: "everybody" },
      });
      for (const procedure of everyProcedure) {
        if (["public", "person", "key"].includes(procedure.access)) continue;
        const [{ input }] = procedure.samples;
        const { reason } = await callProcedure(api, procedure, { input, headers });
        expect([procedure.path, reason]).toEqual([procedure.path, "second_factor_required"]);
      }
    },
  );

  apiTest("that manages the organization names no scope, so that no key can ever call it", () => {
    const managing = everyProcedure.filter(({ access }) => isForAdmins(access) || access === "person");
    expect(managing.length).toBeGreaterThan(0);
    expect(managing.filter(({ scope }) => scope !== undefined)).toEqual([]);
  });
});
