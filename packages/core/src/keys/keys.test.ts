import { type Caller, CreateApiKey, Scope } from "@querybell/domain";
import { describe, expect } from "vitest";
import { changeRole, removeMember } from "../members/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { createKey, createKeyCache, createKeyVerifier, describeKey, listKeys, revokeKey } from "./index.ts";

const test = dbTest
  .extend("makeKey", { scope: "file" }, ({ deps }) => {
    return (owner: Caller, options: Partial<CreateApiKey> = {}) =>
      createKey(deps, owner, { name: "Test key", scopes: [...Scope.options], ...options });
  })
  /** Verifies keys as the process that changes them does. */
  .extend("here", ({ deps }, { onCleanup }) => {
    const verifier = createKeyVerifier({ ...deps, onError: () => expect.unreachable() });
    onCleanup(() => verifier.close());
    return verifier;
  })
  /** Verifies keys as another process does, with a separate cache. */
  .extend("elsewhere", ({ deps }, { onCleanup }) => {
    const keyCache = createKeyCache(deps);
    const verifier = createKeyVerifier({ ...deps, keyCache, onError: () => expect.unreachable() });
    onCleanup(() => verifier.close());
    return verifier;
  });

describe("an API key", () => {
  test("begins with qb_, is shown once and stored as a hash", async ({ make, deps }) => {
    const owner = await make.owner();
    const input = CreateApiKey.parse({ name: "Reporting", scopes: ["queries:run"] });
    const { key, id } = await createKey(deps, owner, input);
    expect(key).toMatch(/^qb_[0-9a-z]{12}_[\w-]{43}$/);
    const listed = await listKeys(deps, owner);
    expect(listed).toMatchObject([{ id, name: "Reporting", start: key.slice(0, 15), lastUsedAt: null }]);
    const stored = await deps.db.pool.query("SELECT api_keys::text AS row FROM api_keys WHERE id = $1", [id]);
    expect(JSON.stringify([listed, stored.rows])).not.toContain(key.slice(16));
  });

  test("stops at its expiry, even when it was used a moment before", async ({
    make,
    makeKey,
    here,
    clock,
    deps,
  }) => {
    const expiresAt = new Date(clock.now().getTime() + 2000).toISOString();
    const { key, id } = await makeKey(await make.owner(), { expiresAt });
    const use = async () => {
      const caller = await here.verify(key);
      return caller && describeKey(deps, caller, id);
    };
    await expect(use()).resolves.toMatchObject({ expiresAt });
    await clock.advance(1999);
    await expect(use()).resolves.toMatchObject({ expiresAt });
    await clock.advance(1);
    expect(await use()).toBeUndefined();
  });

  test("says for which databases and folders it is", async ({ make, makeKey, deps }) => {
    const owner = await make.owner();
    const { id: databaseId } = await make.database(owner);
    const { id: whole } = await makeKey(owner);
    expect(await describeKey(deps, owner, whole)).toMatchObject({ databaseIds: null, folderIds: null });
    const places = { databaseIds: [databaseId], folderIds: [null] };
    const { id } = await makeKey(owner, places);
    expect(await describeKey(deps, owner, id)).toMatchObject(places);
  });

  test("cannot be made to expire in the past", async ({ make, clock, deps }) => {
    const expiresAt = clock.now().toISOString();
    const input = CreateApiKey.parse({ name: "Late", scopes: ["queries:run"], expiresAt });
    await expect(createKey(deps, await make.owner(), input)).rejects.toEqual(appError("invalid_request"));
  });

  test("stops at once in the process that revokes it, and within five seconds in every other", async ({
    make,
    makeKey,
    here,
    elsewhere,
    clock,
    deps,
  }) => {
    const owner = await make.owner();
    const { key, id } = await makeKey(owner);
    expect(await here.verify(key)).toBeDefined();
    expect(await elsewhere.verify(key)).toBeDefined();
    await revokeKey(deps, owner, { id });
    expect(await here.verify(key)).toBeUndefined();
    await clock.advance(5000);
    expect(await elsewhere.verify(key)).toBeUndefined();
    await expect(revokeKey(deps, owner, { id })).rejects.toEqual(appError("not_found"));
  });

  test("ends with its owner's membership and does not come back with it", async ({
    make,
    makeKey,
    here,
    clock,
    deps,
  }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const admin = await make.member(organizationId, "admin");
    const { key } = await makeKey(admin);
    expect(await here.verify(key)).toBeDefined();
    await removeMember(deps, owner, { userId: admin.userId });
    expect(await here.verify(key)).toBeUndefined();
    await deps.db.prisma.member.create({
      data: { organizationId, userId: admin.userId, role: "admin", createdAt: clock.now() },
    });
    await clock.advance(5000);
    expect(await here.verify(key)).toBeUndefined();
  });

  test("carries the role its owner has now, in other processes five seconds later at most", async ({
    make,
    makeKey,
    here,
    elsewhere,
    clock,
    deps,
  }) => {
    const owner = await make.owner();
    const admin = await make.member(owner.organizationId, "admin");
    const { key } = await makeKey(admin);
    const roles = async () => [(await here.verify(key))?.role, (await elsewhere.verify(key))?.role];
    expect(await roles()).toEqual(["admin", "admin"]);
    await changeRole(deps, owner, { userId: admin.userId, role: "member" });
    expect((await here.verify(key))?.role).toBe("member");
    await clock.advance(5000);
    expect(await roles()).toEqual(["member", "member"]);
  });

  test("costs one read at first and nothing while it is remembered", async ({
    make,
    makeKey,
    clock,
    deps,
  }) => {
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
  });
});
