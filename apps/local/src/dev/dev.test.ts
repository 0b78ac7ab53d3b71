import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "@querybell/core/keys";
import { dbTest, testPassword } from "@querybell/core/testing";
import { PresentedKey } from "@querybell/domain";
import { sendSignal } from "@querybell/embedded-postgres";
import { expect, onTestFailed, onTestFinished } from "vitest";
import { copyCheckout } from "../testing/copy-checkout.ts";
import { openHotReload } from "../testing/hot-reload.ts";
import { launch, launchExpectingFailure, processesWith } from "../testing/launch.ts";

const page = "src/pages/queries/queries-page.tsx";

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "querybell-dev-"));
  onTestFinished(async () => {
    sendSignal("SIGKILL", processesWith(folder));
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, "utf8");
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

dbTest(
  "pnpm dev serves pages and api at one address, picks up changes, survives a syntax error, and leaves no process behind",
  { timeout: 600_000 },
  async ({ settings, deps, make }) => {
    const owner = await make.owner();
    const { key } = await createKey(deps, owner, { name: "Test", scopes: ["queries:read"] });
    const folder = await newFolder();
    const checkout = join(folder, "checkout");
    await copyCheckout(checkout);
    const source = (file: string) => join(checkout, file);
    const entry = source("apps/local/src/dev/main.ts");
    const dataFolder = join(folder, "data");
    const environment = {
      DATABASE_URL: settings.DATABASE_URL,
      SEALING_KEYS: settings.SEALING_KEYS,
      ENGINE_ISOLATION: "none",
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    };
    const dev = await launch({ entry, dataFolder, environment });
    onTestFailed(() => console.error(dev.output(), dev.errors()));
    const { url } = dev;
    const describeKey = () => fetch(`${url}/api/key`, { headers: { authorization: `Bearer ${key}` } });

    // The page of the api, with Vite's client, under the policy of production.
    const opened = await fetch(`${url}/q/none`);
    expect([opened.status, opened.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const policy = opened.headers.get("content-security-policy");
    expect(policy).toMatch(
      /^default-src 'self'; script-src 'self'; style-src 'self' 'nonce-[\w-]+'; style-src-attr 'none';/,
    );
    expect(await opened.text()).toContain('<script type="module" src="/@vite/client"></script>');
    expect(await (await fetch(`${url}/docs/readme`)).text()).toContain("<h1");

    // Sign-in, and a stream of events.
    const signIn = await fetch(`${url}/api/auth/sign-in/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ email: owner.email, password: testPassword }),
    });
    const cookie = signIn.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const leaving = new AbortController();
    const stream = await fetch(`${url}/api/trpc/notifications.watch`, {
      headers: { cookie },
      signal: leaving.signal,
    });
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    leaving.abort();

    // Only what a page needs can be read of the file system.
    const log = await fetch(`${url}/@fs${join(dataFolder, "logs/api.log")}?raw`);
    expect(log.status).toBe(403);

    // A change of a page reaches the browser.
    const before = await (await fetch(`${url}/${page}`)).text();
    expect(before).not.toContain("Changed queries");
    const hotReload = await openHotReload(url);
    const update = hotReload.next();
    await replaceIn(source(`apps/web/${page}`), 'title="Queries"', 'title="Changed queries"');
    expect(await update).toMatchObject({ type: "update", updates: [{ path: `/${page}` }] });
    expect(await (await fetch(`${url}/${page}`)).text()).toContain("Changed queries");
    hotReload.close();

    // A change of a use case restarts both processes. A request that is sent meanwhile waits.
    const known = PresentedKey.parse(await (await describeKey()).json());
    await replaceIn(
      source("packages/core/src/keys/keys.ts"),
      "name: row.name,\n    organization:",
      "name: row.name.toUpperCase(),\n    organization:",
    );
    await dev.shows(/api +restarts: packages\/core\/src\/keys\/keys\.ts has changed/);
    expect((await describeKey()).status).toBe(200);
    await dev.shows(/api +runs again after/);
    expect(PresentedKey.parse(await (await describeKey()).json())).toEqual({ ...known, name: "TEST" });
    await dev.shows(/worker +runs again after/);

    // An error in the api is shown, in the terminal and in the browser, and ends nothing else.
    const router = source("apps/api/src/routers/keys.ts");
    await replaceIn(router, "export const keyRouter", "const broken = ;\nexport const keyRouter");
    await dev.shows(/api +SyntaxError[\s\S]*api +has ended \(exit code 1\)/);
    const failed = await describeKey();
    expect([failed.status, await failed.text()]).toEqual([503, expect.stringContaining("const broken = ;")]);
    await replaceIn(router, "const broken = ;\n", "");
    await dev.shows(/has ended[\s\S]*api +runs again after/);
    expect((await describeKey()).status).toBe(200);
    expect(dev.output().match(/worker +restarts/g)).toHaveLength(1);

    const second = await launchExpectingFailure({ entry, dataFolder, environment });
    expect(second.errors).toMatch(
      /Another npm start or pnpm dev is using the folder .* DATA_FOLDER=\/some\/folder pnpm dev\.$/,
    );

    expect(await dev.interrupt(), dev.output()).toBe(0);
    expect(processesWith(folder)).toEqual([]);
  },
);
