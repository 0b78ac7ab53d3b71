import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { triggerAutomation } from "@querybell/core/automations";
import { updateQuery } from "@querybell/core/queries";
import { deleteReference } from "@querybell/core/references";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { createWebFolder } from "../testing/web-folder.ts";

const script = "console.log('shell');".repeat(100);
/** The api with a built web app. */
const webTest = apiTest.extend(
  "serverSettings",
  { scope: "file" },
  async ({ postgres: _ }, { onCleanup }) => {
    const folder = await createWebFolder(onCleanup);
    await mkdir(join(folder, "assets"));
    await Promise.all([
      writeFile(join(folder, "assets/index-1.js"), script),
      writeFile(join(folder, "assets/index-1.js.br"), brotliCompressSync(script)),
      writeFile(join(folder, "assets/index-1.js.gz"), gzipSync(script)),
    ]);
    return { WEB_FOLDER: folder };
  },
);

const html = { accept: "text/html" };

/** The data in a page, by procedure. */
function dataOf(text: string): Record<string, { input?: unknown; data: unknown }> {
  const [, block = "[]"] = /<script type="application\/json" id="page-data">(.*?)<\/script>/.exec(text) ?? [];
  const reads: { procedure: string; input?: unknown; data: unknown }[] = JSON.parse(block);
  return Object.fromEntries(reads.map(({ procedure, ...read }) => [procedure, read]));
}

describe("an asset", () => {
  webTest("is sent as the client takes it, and is kept for good", async ({ api }) => {
    for (const [accepted, encoding] of [
      ["gzip, deflate, br", "br"],
      ["gzip", "gzip"],
      ["identity", null],
    ] as const) {
      const answer = await api.fetch("/assets/index-1.js", { headers: { "accept-encoding": accepted } });
      expect(answer.headers.get("content-encoding")).toBe(encoding);
      expect(answer.headers.get("content-type")).toContain("javascript");
      expect(answer.headers.get("vary")).toContain("accept-encoding");
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(await answer.text()).toBe(script);
    }
  });

  webTest("of an earlier build is not there, and that is not kept", async ({ api }) => {
    const answer = await api.fetch("/assets/index-0.js");
    expect(answer.status).toBe(404);
    expect(answer.headers.get("cache-control") ?? "").not.toContain("immutable");
  });
});

describe("a page", () => {
  webTest("names its scripts and styles, and holds what it shows first", async ({ api, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1", { title: "</script><script>alert(1)" });
    const cookie = await api.sessionCookie(owner.email);
    // A link on another site or in a mail may open a page.
    const headers = { ...html, cookie, "sec-fetch-site": "cross-site" };
    const answer = await api.fetch(`/q/${shortId}`, { headers });
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(text).toContain('<link rel="modulepreload" crossorigin href="/assets/permalink-1.js">');
    expect(text).toContain('<link rel="stylesheet" crossorigin href="/assets/permalink-1.css">');
    expect(text).toContain('<link rel="prefetch" as="script" crossorigin href="/assets/chart-1.js">');
    expect(text, "runs once the data is there").toMatch(
      /id="page-data">.*<\/script><script type="module" async crossorigin src="\/assets\/early-1\.js"><\/script><\/head>/,
    );
    expect(text).not.toContain("<script>alert");
    expect(text).toContain(
      '<div id="root"><div class="early-heading" aria-busy="true"><h1>&lt;/script>&lt;script>alert(1)</h1></div></div>',
    );
    const data = dataOf(text);
    expect(data["me.get"]).toMatchObject({ data: { user: { email: owner.email } } });
    expect(data["references.get"]).toMatchObject({
      input: { shortId },
      data: { title: "</script><script>alert(1)" },
    });
    expect(data["queries.findResult"]).toMatchObject({
      data: { kind: "missing", reason: "result_not_found" },
    });
  });

  webTest("renews a session that is older than a day", async ({ api, make, deps }) => {
    const { userId, email } = await make.owner();
    const cookie = await api.sessionCookie(email);
    const expiresAt = new Date(Date.now() + 5 * 86_400_000);
    await deps.db.prisma.session.updateMany({ where: { userId }, data: { expiresAt } });
    const answer = await api.fetch("/", { headers: { ...html, cookie } });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(`^${cookie}; Max-Age=604800;`)]);
  });

  webTest("of a query holds its statement, also as text to read", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 42 -- </pre>");
    const headers = { ...html, cookie: await api.sessionCookie(owner.email) };
    const read = async () => (await api.fetch(`/queries/${id}`, { headers })).text();
    expect(await read(), "without a name, its page names it").not.toContain("early-heading");
    await updateQuery(deps, owner, { id, name: "The answer" });
    const text = await read();
    expect(text).toContain("<h1>The answer</h1><pre>\nSELECT 42 -- &lt;/pre></pre>");
    const data = dataOf(text);
    expect(data["queries.get"]).toMatchObject({ input: { id }, data: { sql: "SELECT 42 -- </pre>" } });
    expect(data["databases.list"]).toMatchObject({
      data: [{ name: "A duckdb database" }, { name: "Uploads" }],
    });
  });

  webTest("holds nothing of another organization", async ({ api, make }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    const { shortId, currentQuery } = await make.reference(owner, "SELECT 1", { title: "Secret" });
    const headers = { ...html, cookie: await api.sessionCookie(stranger.email) };
    const permalink = await api.fetch(`/q/${shortId}`, { headers });
    expect(permalink.status).toBe(404);
    const texts = [
      await permalink.text(),
      await (await api.fetch(`/queries/${currentQuery?.id}`, { headers })).text(),
    ];
    for (const text of texts) {
      expect(text).not.toContain("Secret");
      expect(text).not.toContain("SELECT 1");
    }
  });

  webTest("about something that does not exist is answered with 404", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const headers = { ...html, cookie: await api.sessionCookie(owner.email) };
    const statusOf = async (path: string) => (await api.fetch(path, { headers })).status;
    const { id } = await make.query(owner, "SELECT 1");
    const other = await make.owner();
    const ofOther = await make.query(other, "SELECT 2");
    const database = await make.database(owner);
    const databaseOfOther = await make.database(other);
    for (const path of [`/queries/${id}`, `/settings/databases/${database.id}`]) {
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    }
    const none = crypto.randomUUID();
    for (const path of [
      `/queries/${ofOther.id}`,
      `/queries/${none}`,
      "/queries/no-id",
      `/automations/${none}`,
      `/automations/${none}/edit`,
      "/chats/nothinghere",
      "/q/nothinghere",
      "/q/nothinghere/edit",
      `/settings/databases/${databaseOfOther.id}`,
      `/settings/databases/${none}`,
      "/settings/databases/no-id",
    ]) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    }
    const ofWebhooks = ["webhooks/deliveries", "webhooks/endpoints", "destinations"].map(
      (part) => `/settings/${part}/${none}`,
    );
    // Webhooks are not enabled for this organization: the page says so, whatever the address names.
    for (const path of ofWebhooks) expect([path, await statusOf(path)]).toEqual([path, 200]);
    await deps.db.prisma.organization.update({
      where: { id: owner.organizationId },
      data: { webhooksEnabled: true },
    });
    for (const path of [...ofWebhooks, `${ofWebhooks[1]}/edit`, `${ofWebhooks[2]}/edit`]) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    }
  });

  webTest("for something new is no page about something with that name", async ({ api, make }) => {
    const headers = { ...html, cookie: await api.sessionCookie((await make.owner()).email) };
    for (const path of ["/queries/new", "/queries/drafts", "/automations/new", "/settings/databases/new"]) {
      const answer = await api.fetch(path, { headers });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  webTest("for admins says so to members, whatever its address names", async ({ api, make }) => {
    const { organizationId } = await make.owner();
    const member = await make.member(organizationId);
    const headers = { ...html, cookie: await api.sessionCookie(member.email) };
    const answer = await api.fetch(`/settings/databases/${crypto.randomUUID()}`, { headers });
    expect(answer.status).toBe(200);
    expect(dataOf(await answer.text())).not.toHaveProperty("databases.describe");
  });

  webTest("has the same status when only its head is requested", async ({ api, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const headers = { ...html, cookie: await api.sessionCookie(owner.email) };
    const statusOf = async (path: string) => (await api.fetch(path, { method: "HEAD", headers })).status;
    expect(await statusOf(`/queries/${id}`)).toBe(200);
    expect(await statusOf(`/queries/${crypto.randomUUID()}`)).toBe(404);
  });

  webTest("tells whoever is not signed in that nobody is, and nothing else", async ({ api, make }) => {
    const { shortId, currentQuery } = await make.reference(await make.owner(), "SELECT 1");
    // Permalinks and chats do not exist for them, and the status of no page says what exists.
    const statuses: [path: string, status: number][] = [
      [`/q/${shortId}`, 404],
      [`/q/${shortId}/edit`, 404],
      ["/q/nothinghere", 404],
      ["/chats/nothinghere", 404],
      [`/queries/${currentQuery?.id}`, 200],
      [`/queries/${crypto.randomUUID()}`, 200],
      ["/", 200],
    ];
    for (const [path, status] of statuses) {
      const answer = await api.fetch(path, { headers: html });
      expect([path, answer.status]).toEqual([path, status]);
      expect(dataOf(await answer.text())).toEqual({ "me.get": { data: null } });
    }
  });

  webTest("is sent whatever the request accepts", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1");
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const chat = await triggerAutomation(deps, owner, automation);
    const cookie = await api.sessionCookie(owner.email);
    const paths: [path: string, status: number][] = [
      [`/q/${shortId}`, 200],
      [new URL(chat.chatUrl).pathname, 200],
      ["/q/nothinghere", 404],
      ["/queries/new", 200],
    ];
    for (const accept of ["*/*", "application/json", "text/html;q=0", "image/avif,image/webp", ""]) {
      for (const [path, status] of paths) {
        const answer = await api.fetch(path, { headers: { cookie, accept } });
        expect([accept, path, answer.status]).toEqual([accept, path, status]);
        expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      }
    }
    const nowhere = await api.fetch("/nowhere", { headers: { cookie, accept: "application/json" } });
    expect(await nowhere.json()).toMatchObject({ status: 404, code: "not_found" });
  });

  webTest(
    "of a permalink offers members to switch to its organization",
    async ({ api, make, deps, clock }) => {
      const [owner, member] = [await make.owner(), await make.owner()];
      const { organizationId } = owner;
      const { shortId } = await make.reference(owner, "SELECT 1", { title: "Secret" });
      const automation = await make.automation(owner, { references: [{ shortId }] });
      const chat = await triggerAutomation(deps, owner, automation);
      const paths = [`/q/${shortId}`, new URL(chat.chatUrl).pathname];
      const headers = { cookie: await api.sessionCookie(member.email) };
      for (const path of paths) {
        const answer = await api.fetch(path, { headers });
        expect([path, answer.status]).toEqual([path, 404]);
        expect(await answer.text()).not.toContain(organizationId);
      }
      // Later than the other membership, whose organization the session therefore shows.
      await clock.advance(1);
      await deps.db.prisma.member.create({
        data: { organizationId, userId: member.userId, role: "member", createdAt: clock.now() },
      });
      for (const path of paths) {
        const answer = await api.fetch(path, { headers });
        const text = await answer.text();
        expect([path, answer.status]).toEqual([path, 200]);
        expect(dataOf(text)["me.locatePermalink"]).toMatchObject({ data: { organizationId } });
        expect(text).not.toContain("Secret");
      }
      await deleteReference(deps, owner, { shortId });
      expect((await api.fetch(`/q/${shortId}`, { headers })).status).toBe(404);
    },
  );

  webTest("of a permalink does not exist for a person without an organization", async ({ api, make }) => {
    const { shortId } = await make.reference(await make.owner(), "SELECT 1");
    const headers = { ...html, cookie: await api.sessionCookie((await make.user()).email) };
    expect((await api.fetch(`/q/${shortId}`, { headers })).status).toBe(404);
    expect((await api.fetch("/", { headers })).status).toBe(200);
  });

  webTest("that does not exist is the same page, with 404", async ({ api }) => {
    const answer = await api.fetch("/nowhere", { headers: html });
    expect(answer.status).toBe(404);
    expect(dataOf(await answer.text())).toEqual({});
  });
});
