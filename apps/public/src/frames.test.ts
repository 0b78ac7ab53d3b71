import { createHmac } from "node:crypto";
import { revokeEmbeddingKey, rotateEmbeddingKey, updateEmbeddingKey } from "@querybell/core/embedding";
import { removeMember } from "@querybell/core/members";
import { updateSettings } from "@querybell/core/organizations";
import { withConnection } from "@querybell/core/testing";
import { newId } from "@querybell/domain";
import { hashEmbedValues, hashScope, newPageToken, readGrant, readTokenHash } from "@querybell/public-pages";
import { createSigner, forgeToken } from "@querybell/public-pages/testing";
import { describe, expect } from "vitest";
import { embedTest as test } from "./testing/embed-test.ts";

describe("a frame", () => {
  test("shows a chart for the locked value, which neither its address nor its page tells", async ({
    portal,
    addKey,
    exchange,
    open,
    deps,
  }) => {
    const key = await addKey(portal.owner);
    const token = key.sign({
      item: { kind: "chart", id: portal.shortId },
      locked: { fruit: "pear" },
      open: ["floor"],
    });
    const { status, path = "" } = await exchange(token);
    expect([status, path]).toEqual([201, expect.stringMatching(/^\/e\/[\w-]{32}$/)]);
    const shown = await open(path);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain("5,000");
    expect(shown.text).toContain('name="f.floor"');
    expect(shown.text).not.toContain("pear");
    expect(shown.headers.get("content-security-policy")).toMatch(
      /script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors https:\/\/app\.example\.com http:\/\/localhost:3000$/,
    );
    const runs = () =>
      deps.db.prisma.queryRun.findMany({ where: { organizationId: portal.owner.organizationId } });
    const account = await deps.db.prisma.embeddingKey.findUniqueOrThrow({ where: { id: key.id } });
    expect(await runs()).toMatchObject([
      { parameterValues: { fruit: "pear", floor: 0 }, triggerId: `user:${account.serviceAccountId}` },
    ]);
    // Another visitor with the same values: nothing runs.
    const again = await exchange(
      key.sign({ item: { kind: "chart", id: portal.shortId }, locked: { fruit: "pear" }, open: ["floor"] }),
    );
    expect(again.path).not.toBe(path);
    expect((await open(again.path ?? "")).text).toContain("5,000");
    expect(await runs()).toHaveLength(1);
    // The visitor chooses a value of an open filter.
    const chosen = await open(`${path}?f.floor=6&theme=dark`);
    expect(chosen.text).not.toContain("5,000");
    expect(chosen.text).toContain('data-theme="dark"');
    expect((await runs()).map(({ parameterValues }) => parameterValues)).toContainEqual({
      fruit: "pear",
      floor: 6,
    });
    for (const value of ["six", "6?7"]) {
      const wrong = await open(`${path}?f.floor=${value}`);
      expect(wrong.text).toContain("There is nothing to show for these values.");
      expect(wrong.text).not.toContain("pear");
    }
    expect(await runs()).toHaveLength(2);
  });

  test("of a dashboard leaves out charts that a locked value does not filter", async ({
    portal,
    addKey,
    exchange,
    open,
  }) => {
    const key = await addKey(portal.owner);
    const item = { kind: "dashboard", id: portal.dashboardId };
    const { path = "" } = await exchange(key.sign({ item, locked: { fruit: "apple" } }));
    const { text } = await open(path);
    expect(text).toContain("3,000");
    expect(text).not.toContain("Everything");
    expect(text).not.toMatch(/pear|name="f\./);
    const misspelt = await exchange(key.sign({ item, locked: { fruits: "apple" } }));
    expect((await open(misspelt.path ?? "")).text).toContain("There is nothing to show");
  });

  test("waits when many pages were asked for in the last minute by its visitor, and not for those of others", async ({
    portal: { owner, shortId },
    addKey,
    exchange,
    open,
    deps,
    clock,
  }) => {
    const key = await addKey(owner);
    const token = key.sign({
      item: { kind: "chart", id: shortId },
      locked: { fruit: "fig" },
      open: ["floor"],
    });
    const { path = "" } = await exchange(token);
    const sessionHash = new Uint8Array(readTokenHash(path.slice("/e/".length)) ?? []);
    const page = {
      ...{ organizationId: owner.organizationId, keyId: key.id, scopeHash: hashScope(readGrant(token)) },
      ...({
        sessionHash,
        filterValues: {},
        state: "failed",
        requestedAt: clock.now(),
        madeAt: clock.now(),
      } as const),
    };
    await deps.db.prisma.embedPage.createMany({
      data: Array.from({ length: 30 }, (_, at) => ({
        ...{ ...page, id: newId(clock), valuesHash: new TextEncoder().encode(String(at)) },
      })),
    });
    const limited = await open(`${path}?f.floor=1`);
    expect([limited.status, limited.headers.get("refresh")]).toEqual([429, "10"]);
    const other = await exchange(token);
    expect((await open(`${other.path}?f.floor=1`)).status).toBe(200);
    await clock.advance(61_000);
    expect((await open(`${path}?f.floor=2`)).status).toBe(200);
  });

  test("ends when its key is revoked, rotated or without its account, when embedding is off, and when the token expires", async ({
    portal: { owner, shortId },
    addKey,
    exchange,
    open,
    deps,
    clock,
  }) => {
    const frameOf = async () => {
      const key = await addKey(owner);
      const token = key.sign({ item: { kind: "chart", id: shortId }, locked: { fruit: "pear" } });
      const { path = "" } = await exchange(token);
      expect((await open(path)).status).toBe(200);
      return { ...key, path, token };
    };
    const isGone = async ({ path, token }: { path: string; token: string }) => {
      expect((await open(path)).status).toBe(404);
      expect((await exchange(token)).status).toBe(401);
    };
    const [revoked, rotated, left, off] = [
      await frameOf(),
      await frameOf(),
      await frameOf(),
      await frameOf(),
    ];
    await revokeEmbeddingKey(deps, owner, { id: revoked.id });
    await isGone(revoked);
    await rotateEmbeddingKey(deps, owner, { id: rotated.id, publicKey: createSigner().publicKey });
    await isGone(rotated);
    const { serviceAccountId } = await updateEmbeddingKey(deps, owner, { id: left.id, name: "Left" });
    await removeMember(deps, owner, { userId: serviceAccountId });
    await isGone(left);
    await updateSettings(deps, owner, { embedding: false });
    await isGone(off);
    await updateSettings(deps, owner, { embedding: true });
    expect((await open(off.path)).status).toBe(200);
    await clock.advance(601_000);
    expect((await open(off.path)).status).toBe(404);
  });
});

test("nothing runs for a token that is not valid, or for what a token does not allow", async ({
  portal: { owner, shortId, dashboardId },
  addKey,
  exchange,
  open,
  pages,
  work,
  deps,
  make,
  databaseUrl,
}) => {
  const key = await addKey(owner);
  const elsewhere = await make.owner();
  await updateSettings(deps, elsewhere, { embedding: true });
  const foreign = await addKey(elsewhere);
  const item = { kind: "chart", id: shortId };
  const locked = { fruit: "pear" };
  const good = key.sign({ item, locked, open: ["floor"] });
  const header = { alg: "EdDSA", kid: key.id };
  const runs = await deps.db.prisma.queryRun.count();
  const unsigned = forgeToken(good, { alg: "HS256", kid: key.id }).split(".").slice(0, 2).join(".");
  const hmac = createHmac("sha256", key.publicKey).update(unsigned).digest("base64url");
  for (const token of [
    forgeToken(good, header, key.claims({ item, locked: { fruit: "apple" } })),
    forgeToken(good, { alg: "none", kid: key.id }),
    `${unsigned}.${hmac}`,
    key.sign({ item, locked, iat: 1_600_000_000, exp: 1_600_000_600 }),
    key.sign({ item, locked, exp: key.claims().iat + 90_000 }),
    key.sign({ item, locked }, { kid: foreign.id }),
    key.sign({ item, locked }, { kid: undefined }),
    "x.y.z",
    "",
  ]) {
    expect(await exchange(token)).toMatchObject({ status: 401, body: { error: { code: "invalid_token" } } });
  }
  // Valid tokens of another organization, and for things that do not exist, open a frame that shows nothing.
  for (const [signer, other] of [
    [foreign, item],
    [foreign, { kind: "dashboard", id: dashboardId }],
    [key, { kind: "chart", id: "missing" }],
    [key, { kind: "dashboard", id: crypto.randomUUID() }],
  ] as const) {
    const { path = "" } = await exchange(signer.sign({ item: other, locked: {} }));
    expect((await open(path)).text).toContain("This cannot be shown now.");
  }
  // The visitor changes what is locked, or neither locked nor open.
  const { path = "" } = await exchange(good);
  for (const search of [
    "f.fruit=apple",
    "f.floor=1&f.fruit=apple",
    "f.floor=1&f.floor=2",
    "f.other=1",
    "f.__proto__=1",
  ]) {
    expect((await open(`${path}?${search}`)).status).toBe(404);
  }
  for (const method of ["PUT", "DELETE"])
    expect((await fetch(`${pages.url}${path}`, { method })).status).toBe(405);
  expect((await fetch(`${pages.url}${path}`, { method: "POST" })).status).toBe(404);
  expect((await open(`/e/${"A".repeat(32)}`)).status).toBe(404);
  await work();
  expect(await deps.db.prisma.queryRun.count()).toBe(runs);

  // Somebody who has taken over the public process writes a session whose token was never signed.
  const forged = forgeToken(good, header, key.claims({ item, locked: { fruit: "apple" } }));
  const grant = readGrant(forged);
  const { tokenHash } = newPageToken();
  const { publicKey } = await deps.db.prisma.embeddingKey.findUniqueOrThrow({ where: { id: key.id } });
  await withConnection(databaseUrl, async (client) => {
    const hashes = [tokenHash, hashScope(grant)].map((hash) => Buffer.from(hash));
    const opened = await client.query("SELECT open_embed_session($1, $2, $3, $4, $5, $6) AS outcome", [
      ...[key.id, publicKey, ...hashes, forged, grant.expiresAt],
    ]);
    expect(opened.rows).toEqual([{ outcome: "opened" }]);
    const asked = await client.query("SELECT state FROM request_embed_page($1, $2, '{}')", [
      ...[hashes[0], Buffer.from(hashEmbedValues(grant, {}) ?? [])],
    ]);
    expect(asked.rows).toEqual([{ state: "requested" }]);
    // And one with values that the token of a session does not allow.
    const { tokenHash: other } = newPageToken();
    await client.query("SELECT open_embed_session($1, $2, $3, $4, $5, $6)", [
      ...[
        key.id,
        publicKey,
        Buffer.from(other),
        Buffer.from(hashScope(readGrant(good))),
        good,
        grant.expiresAt,
      ],
    ]);
    await client.query(`SELECT request_embed_page($1, $2, '{"fruit": "apple"}')`, [
      ...[Buffer.from(other), Buffer.from(hashEmbedValues(readGrant(good), {}) ?? [])],
    ]);
  });
  await work();
  expect(await deps.db.prisma.queryRun.count()).toBe(runs);
});

test("a picture is shown to those who may see its page", async ({
  portal: { owner },
  shop,
  addKey,
  exchange,
  open,
  deps,
}) => {
  await updateSettings(deps, shop.owner, { embedding: true });
  const { shortId } = await deps.db.prisma.queryReference.findUniqueOrThrow({ where: { id: shop.bars } });
  const token = (await addKey(shop.owner)).sign({ item: { kind: "chart", id: shortId } });
  const { path = "" } = await exchange(token);
  const { text } = await open(path);
  const [, file = ""] = /<img src="([^"]+)"/.exec(text) ?? [];
  expect((await open(file)).text).toMatch(/^<svg /);
  const stranger = await exchange((await addKey(owner)).sign({ item: { kind: "chart", id: shortId } }));
  expect((await open(file.replace(path, stranger.path ?? ""))).status).toBe(404);
});

test("the scripts are served to pages of other sites", async ({ pages }) => {
  const script = await fetch(`${pages.url}/e/embed.js`);
  expect(script.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  expect(await script.text()).toContain("QuerybellEmbed");
});
