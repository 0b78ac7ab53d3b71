import type { Deps } from "@querybell/core";
import { createKeyCache, createKeyVerifier } from "@querybell/core/keys";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

/** Verifies keys as another process does, with a cache of its own. */
const otherProcess = (deps: Deps) =>
  createKeyVerifier({ ...deps, keyCache: createKeyCache(deps), onError: () => expect.unreachable() });

describe("an API key", () => {
  apiTest("says whose it is at GET /api/key", async ({ api, make, makeKey }) => {
    const owner = await make.owner();
    const { key, id } = await makeKey(owner, { scopes: ["queries:read"] });
    const answer = await api.fetch("/api/key", { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      id,
      organization: { id: owner.organizationId },
      user: { id: owner.userId, email: owner.email },
      scopes: ["queries:read"],
      expiresAt: null,
    });
  });

  apiTest("begins with qb_, is shown once and stored as a hash", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { key, id } = await client.keys.create.mutate({ name: "Reporting", scopes: ["queries:run"] });
    expect(key).toMatch(/^qb_[0-9a-z]{12}_[\w-]{43}$/);
    const listed = await client.keys.list.query();
    expect(listed).toMatchObject([{ id, name: "Reporting", start: key.slice(0, 15), lastUsedAt: null }]);
    const stored = await deps.db.pool.query("SELECT api_keys::text AS row FROM api_keys WHERE id = $1", [id]);
    expect(JSON.stringify([listed, stored.rows])).not.toContain(key.slice(16));
  });

  apiTest("is refused when any character differs", async ({ api, make, makeKey }) => {
    const { key } = await makeKey(await make.owner());
    for (let at = 0; at < key.length; at += 5) {
      const wrong = key.slice(0, at) + (key[at] === "x" ? "y" : "x") + key.slice(at + 1);
      const answer = await api.fetch("/api/key", { headers: { authorization: `Bearer ${wrong}` } });
      expect(answer.status, wrong).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(await answer.json()).toMatchObject({ code: "unauthorized", status: 401 });
    }
  });

  apiTest(
    "stops at its expiry, even when it was used a moment before",
    async ({ api, make, makeKey, clock }) => {
      const expiresAt = new Date(clock.now().getTime() + 2000).toISOString();
      const { key } = await makeKey(await make.owner(), { expiresAt });
      const use = () => api.withKey(key).keys.describe.query();
      await expect(use()).resolves.toMatchObject({ expiresAt });
      await clock.advance(1999);
      await expect(use()).resolves.toMatchObject({ expiresAt });
      await clock.advance(1);
      await expect(use()).rejects.toEqual(apiError("unauthorized"));
    },
  );

  apiTest("cannot be made to expire in the past", async ({ api, make, clock }) => {
    const client = await api.signedIn(await make.owner());
    const expiresAt = clock.now().toISOString();
    await expect(
      client.keys.create.mutate({ name: "Late", scopes: ["queries:run"], expiresAt }),
    ).rejects.toEqual(apiError("invalid_request"));
  });

  apiTest(
    "stops at once in the process that revokes it, and within five seconds in every other",
    async ({ api, make, makeKey, clock, deps }) => {
      const owner = await make.owner();
      const { key, id } = await makeKey(owner);
      const use = () => api.withKey(key).queries.list.query({});
      const other = otherProcess(deps);
      await Promise.all([use(), other.verify(key)]);
      const client = await api.signedIn(owner);
      await client.keys.revoke.mutate({ id });
      await expect(use()).rejects.toEqual(apiError("unauthorized"));
      await clock.advance(5000);
      expect(await other.verify(key)).toBeUndefined();
      await expect(client.keys.revoke.mutate({ id })).rejects.toEqual(apiError("not_found"));
      await other.close();
    },
  );

  apiTest(
    "ends with its owner's membership and does not come back with it",
    async ({ api, make, makeKey, clock, deps }) => {
      const owner = await make.owner();
      const admin = await make.member(owner.organizationId, "admin");
      const { key } = await makeKey(admin);
      const use = () => api.withKey(key).queries.list.query({});
      await use();
      await (await api.signedIn(owner)).members.remove.mutate({ userId: admin.userId });
      await expect(use()).rejects.toEqual(apiError("unauthorized"));
      const { organizationId } = owner;
      await deps.db.prisma.member.create({
        data: { organizationId, userId: admin.userId, role: "admin", createdAt: clock.now() },
      });
      await clock.advance(5000);
      await expect(use()).rejects.toEqual(apiError("unauthorized"));
    },
  );

  apiTest(
    "carries the role its owner has now, in other processes five seconds later at most",
    async ({ make, makeKey, api, clock, deps }) => {
      const owner = await make.owner();
      const admin = await make.member(owner.organizationId, "admin");
      const { key } = await makeKey(admin);
      const same = createKeyVerifier({ ...deps, onError: () => expect.unreachable() });
      const other = otherProcess(deps);
      const roles = async () => [(await same.verify(key))?.role, (await other.verify(key))?.role];
      expect(await roles()).toEqual(["admin", "admin"]);
      await (await api.signedIn(owner)).members.changeRole.mutate({ userId: admin.userId, role: "member" });
      expect((await same.verify(key))?.role).toBe("member");
      await clock.advance(5000);
      expect(await roles()).toEqual(["member", "member"]);
      await Promise.all([same.close(), other.close()]);
    },
  );

  apiTest(
    "costs one read at first and nothing while it is remembered",
    async ({ make, makeKey, clock, deps }) => {
      const { key, id } = await makeKey(await make.owner());
      const statements: string[] = [];
      const counting = Object.create(deps.db.pool, {
        query: {
          value: (config: { name: string }) => {
            statements.push(config.name);
            return Reflect.apply(deps.db.pool.query, deps.db.pool, [config]);
          },
        },
      });
      const db = { ...deps.db, pool: counting };
      const verifier = createKeyVerifier({
        ...{ db, clock, keyCache: createKeyCache({ db, clock }) },
        onError: () => expect.unreachable(),
      });
      await Promise.all(Array.from({ length: 50 }, () => verifier.verify(key)));
      expect(statements).toEqual(["find_key", "write_last_use"]);
      await verifier.close();
      for (let second = 0; second < 12; second++) {
        await clock.advance(5000);
        await Promise.all(Array.from({ length: 50 }, () => verifier.verify(key)));
      }
      await verifier.close();
      expect(statements.filter((name) => name === "find_key")).toHaveLength(13);
      expect(statements.filter((name) => name === "write_last_use")).toHaveLength(2);
      const stored = await deps.db.prisma.apiKey.findUniqueOrThrow({ where: { id } });
      expect(stored.lastUsedAt).toEqual(clock.now());
    },
  );

  apiTest("does not fall back to the session beside it when it is wrong", async ({ api, make }) => {
    const cookie = await api.sessionCookie((await make.owner()).email);
    const answer = await api.fetch("/api/trpc/me.get", {
      headers: { cookie, authorization: "Bearer qb_wrong" },
    });
    expect(answer.status).toBe(401);
  });
});
