import type { Deps } from "@querybell/core";
import { dbTest } from "@querybell/core/testing";
import { type Caller, FairSlots, isAtLeast, Role, Scope } from "@querybell/domain";
import { expect } from "vitest";
import { ZodError, z } from "zod";
import { toAppErrorOrInternal } from "./error-shape.ts";
import { adminProcedure, createCallerFactory, keyProcedure, memberProcedure, router } from "./procedures.ts";
import { createSubscriptions } from "./subscriptions.ts";

const createCaller = createCallerFactory(
  router({
    scoped: memberProcedure("queries:read").query(() => "ok"),
    unscoped: memberProcedure().query(() => "ok"),
    admin: adminProcedure.query(() => "ok"),
    key: keyProcedure.query(() => "ok"),
    counts: memberProcedure()
      .meta({ yields: z.object({ count: z.int() }) })
      .subscription(async function* () {
        yield { count: 1, secret: "x" };
        yield { count: "two" };
      }),
  }),
);

type Path = "scoped" | "unscoped" | "admin" | "key";

const callAs = (deps: Deps, role: Role, via: Caller["via"]) => {
  const caller: Caller = { userId: "user", organizationId: "organization", role, via };
  const { signal: closing } = new AbortController();
  const subscriptions = createSubscriptions({ deps, maxPerSubscriber: 1, onError() {} });
  const requestSlots = new FairSlots({ size: 1 });
  const limits = { limiter: { take() {} }, requestSlots, subscriptions, observeCall() {} };
  return createCaller({ deps, caller, closing, ...limits, address: "" });
};

/** Calls a procedure with this role. Returns its answer or the code of its error. */
const asking = (deps: Deps, role: Role) => (path: Path, via: Caller["via"]) =>
  callAs(deps, role, via)
    [path]()
    .catch((error: unknown) => toAppErrorOrInternal(error).code);

const session = { kind: "session", sessionId: "session" } as const;

const keyWith = (...scopes: Scope[]) => ({ kind: "key", keyId: "key", scopes }) as const;
const others = Scope.options.filter((scope) => scope !== "queries:read");

for (const role of Role.options) {
  const forMembers = role === "viewer" ? "forbidden" : "ok";
  dbTest(
    `a key of an organization's ${role} does what its scopes say, and nothing more`,
    async ({ deps }) => {
      const answer = asking(deps, role);
      expect(await answer("scoped", keyWith("queries:read"))).toBe(forMembers);
      expect(await answer("scoped", keyWith(...others))).toBe("forbidden");
      expect(await answer("scoped", keyWith())).toBe("forbidden");
      expect(await answer("unscoped", keyWith(...Scope.options))).toBe("forbidden");
      expect(await answer("admin", keyWith(...Scope.options))).toBe("forbidden");
      expect(await answer("key", keyWith())).toBe("ok");
    },
  );

  dbTest(`a session of an organization's ${role} needs no scope`, async ({ deps }) => {
    const answer = asking(deps, role);
    expect(await answer("scoped", session)).toBe(forMembers);
    expect(await answer("unscoped", session)).toBe(forMembers);
    expect(await answer("admin", session)).toBe(isAtLeast(role, "admin") ? "ok" : "forbidden");
    expect(await answer("key", session)).toBe("unauthorized");
  });
}

dbTest(
  "each message of a subscription is checked by its schema, which strips other fields",
  async ({ deps }) => {
    const messages = await callAs(deps, "member", session).counts();
    const iterator = messages[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ count: 1 });
    await expect(iterator.next()).rejects.toThrow(ZodError);
  },
);
