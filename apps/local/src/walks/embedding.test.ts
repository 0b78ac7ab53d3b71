import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { createServiceAccount } from "@querybell/core/members";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { freePort } from "@querybell/embedded-postgres";
import { createPublicRole } from "@querybell/prisma";
import { openPageStore } from "@querybell/public/page-store";
import { createPublicServer } from "@querybell/public/server";
import { createSigner } from "@querybell/public-pages/testing";
import { createLogger } from "@querybell/runtime";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

const marginConfig = { top: 16, right: 24, bottom: 24, left: 16 };
const example = resolve(import.meta.dirname, "../../../../examples/embedding/server.ts");

const test = walkTest
  .extend("pages", { scope: "file" }, async ({ superuserUrl, onError }, { onCleanup }) => {
    const store = openPageStore({ url: await createPublicRole(superuserUrl, "test"), poolSize: 2, onError });
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const logger = createLogger("public", "silent");
    const server = createPublicServer({ store, logger, baseUrl, checkEveryMs: 0 });
    await server.listen(port, "127.0.0.1");
    onCleanup(async () => {
      await server.close();
      await store.close();
    });
    return { url: baseUrl };
  })
  /** Starts the example, which is the application of a customer. */
  .extend("startExample", ({ pages }, { onCleanup }) => async (settings: Record<string, string>) => {
    const child = spawn(process.execPath, [example], {
      env: { ...settings, QUERYBELL_URL: pages.url, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onCleanup(async () => {
      child.kill();
      await once(child, "exit");
    });
    const [line] = await once(createInterface(child.stdout), "line");
    return String(line).replace("Open ", "");
  })
  .extend("folder", ({ task: _ }, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "querybell-embedding-"));
    onCleanup(() => rmSync(folder, { recursive: true }));
    return folder;
  });

test("an admin adds a key, and the page of another site shows a chart in a frame until it is revoked", async ({
  visit,
  deps,
  make,
  startExample,
  folder,
  worker: _,
}) => {
  const owner = await make.owner();
  const { id: analyticalDatabaseConfigId } = await make.database(owner);
  const { id: queryId } = await createQuery(deps, owner, {
    sql: "SELECT day, sold FROM (VALUES ('Mon', 3), ('Tue', 5)) AS t(day, sold) WHERE day <> {{without}} AND sold >= {{least}}",
    analyticalDatabaseConfigId,
  });
  const bars = '<BarChart><XAxis dataKey="day" /><YAxis /><Bar dataKey="sold" /></BarChart>';
  const { shortId } = await createReference(deps, owner, {
    ...{ queryId, title: "Sales", visualization: { type: "bar", jsxConfig: bars, marginConfig } },
    parameters: [
      { name: "without", displayName: "Without", type: "string", description: "" },
      { name: "least", displayName: "At least", type: "integer", defaultValue: "1", description: "" },
    ],
  });
  await createServiceAccount(deps, owner, { name: "Portal", role: "viewer" });
  const { publicKey, privateKey } = createSigner();
  const file = join(folder, "key.pem");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));

  const page = await visit({ as: owner, path: "/settings/embedding" });
  await page.getByText("No keys yet").waitFor();
  await page.getByRole("switch", { name: "Applications with a key may embed" }).click();
  await page.getByText("Applications with a key may embed now.").waitFor();
  await page.getByRole("button", { name: "Add a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an embedding key" });
  await dialog.getByLabel("Name").fill("Shop portal");
  await dialog.getByLabel("Public key").fill(publicKey);
  await dialog.getByLabel("Runs as").selectOption({ label: "Portal" });
  const settings = { QUERYBELL_PRIVATE_KEY: file, QUERYBELL_ITEM: `chart:${shortId}` };
  const values = { QUERYBELL_LOCKED: '{"without": "Wed"}', QUERYBELL_OPEN: '["least"]' };
  await dialog.getByLabel("Sites that show the frames").fill("http://localhost:1");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Add the key" }).click();
  await page.getByText("In use").waitFor();
  await expectAccessible(page);
  const key = await deps.db.prisma.embeddingKey.findFirstOrThrow({
    where: { organizationId: owner.organizationId },
  });
  const site = await startExample({ ...settings, ...values, QUERYBELL_KEY_ID: key.id });
  await page.getByRole("button", { name: "Change: Shop portal" }).click();
  await page.getByLabel("Sites that show the frames").fill(site);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The key is changed.").waitFor();

  const alone = await visit();
  // The page of another site, whose policy is its own.
  const visitor = await alone.context().newPage();
  await visitor.goto(site);
  await visitor.getByText("ready: Sales").waitFor();
  const frame = visitor.frameLocator('iframe[title="Your figures"]');
  await frame.getByRole("img", { name: /^Sales\. / }).waitFor();
  // The frame is as high as its page, when the picture is there.
  await visitor.waitForFunction("document.querySelector('iframe').getBoundingClientRect().height > 400");
  // The theme is chosen while the next page of the frame is loaded: that page follows it, too.
  const script = Promise.withResolvers<void>();
  await visitor.route("**/e/frame-*.js", (route) => script.promise.then(() => route.continue()));
  await frame.getByLabel("At least").fill("4");
  await frame.getByRole("button", { name: "Apply" }).click();
  await frame.getByRole("link", { name: "Reset" }).waitFor();
  await visitor.getByRole("button", { name: "Dark" }).click();
  script.resolve();
  await frame.locator('html[data-theme="dark"]').waitFor();
  await frame.getByRole("link", { name: "Reset" }).waitFor();
  // Axe does not look into frames of other sites, so the page of the frame is opened by itself.
  await alone.goto(visitor.frames().at(-1)?.url().replace("theme=dark", "") ?? "");
  await alone.getByRole("img", { name: /^Sales\. / }).waitFor();
  await expectAccessible(alone);

  await page.getByRole("button", { name: "Revoke: Shop portal" }).click();
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByText("No keys yet").waitFor();
  await alone.reload();
  await alone.getByRole("heading", { name: "This page is not available" }).waitFor();
});
