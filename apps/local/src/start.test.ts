import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Automation,
  AutomationRun,
  PresentedKey,
  pageOf,
  Query,
  Reference,
  Run,
  SettingsError,
  WebhookEndpoint,
} from "@querybell/domain";
import { createBareDatabase, freePort, sendSignal } from "@querybell/embedded-postgres";
import { neededGrants } from "@querybell/prisma";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { z } from "zod";
import { demoSignIn } from "./demo/seed-demo.ts";
import { readNpmStart } from "./npm-start.ts";
import { start } from "./start.ts";
import { StartError } from "./start-error.ts";
import { launch, launchExpectingFailure, processesWith } from "./testing/launch.ts";

// Several starts in a row, on a busy machine.
const timeoutMs = 600_000;
const verifiedDelivery = /^verified [\w-]+ "automation\.run\.completed" \{.*This is a test/m;

const verifiedRun = /^verified [\w-]+ "automation\.run\.completed" \{.*evenue in/m;
const verifiedFailure = /^verified [\w-]+ "automation\.run\.failed" \{.*Revenue by month.*nowhere/m;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "querybell-local-"));
  // As root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o755);
  onTestFinished(async () => {
    sendSignal("SIGKILL", processesWith(folder));
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

const useKey = (url: string, key: string) =>
  fetch(`${url}/api/key`, { headers: { authorization: `Bearer ${key}` } });

const describeKey = async (url: string, key: string) =>
  PresentedKey.parse(await (await useKey(url, key)).json());

/** Calls procedures with the API key. */
const caller =
  (url: string, credentials: Record<string, string>) =>
  async (path: string, input?: object): Promise<unknown> => {
    const headers = { ...credentials, "content-type": "application/json" };
    const init = input && { method: "POST", body: JSON.stringify(input) };
    const answer = await fetch(`${url}/api/trpc/${path}`, { ...init, headers });
    return z.object({ result: z.object({ data: z.unknown().optional() }) }).parse(await answer.json()).result
      .data;
  };

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

/** Calls procedures as the demo's owner, signed in. */
async function signedIn(url: string) {
  const signIn = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify(demoSignIn),
  });
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return caller(url, { cookie, origin: url });
}

/** Makes the first query of the demo automation fail, then triggers the automation. */
async function breakQueryAndTrigger({ url, key }: { url: string; key: string }): Promise<void> {
  const call = await signedIn(url);
  const [query] = pageOf(Query).parse(await call("queries.list")).items;
  await call("queries.update", { id: query?.id, sql: "SELECT * FROM nowhere" });
  await triggerDemoAutomation({ url, key });
}

async function triggerDemoAutomation({ url, key }: { url: string; key: string }): Promise<void> {
  const call = caller(url, withKey(key));
  const [automation] = pageOf(Automation).parse(await call("automations.list")).items;
  AutomationRun.parse(await call("automations.trigger", { id: automation?.id }));
}

/** Creates another query and pauses the demo automation. Returns the id of a demo query that still works. */
async function addQueryAndPauseAutomation(url: string): Promise<string> {
  const call = await signedIn(url);
  const [broken, working] = pageOf(Query).parse(await call("queries.list")).items;
  const { analyticalDatabaseConfigId } = Query.parse(broken);
  Query.parse(await call("queries.create", { sql: "SELECT 1", analyticalDatabaseConfigId }));
  const [automation] = pageOf(Automation).parse(await call("automations.list")).items;
  Automation.parse(await call("automations.update", { id: automation?.id, enabled: false }));
  return Query.parse(working).id;
}

/** Counts the objects of the demo, and the runs in its history. */
async function countDemo(url: string) {
  const call = await signedIn(url);
  const references = pageOf(Reference).parse(await call("references.list")).items;
  const automations = pageOf(Automation).parse(await call("automations.list")).items;
  const runs = pageOf(AutomationRun).parse(await call("automationRuns.list")).items;
  const endpoints = WebhookEndpoint.array().parse(await call("webhookEndpoints.list"));
  const held = endpoints.find(({ state }) => state === "disabled")?.held ?? 0;
  const earlier = runs.filter(({ scheduledFor }) => scheduledFor !== null);
  // The summaries of the mornings differ.
  const summaries = earlier.flatMap(({ summary }) => summary ?? []);
  expect(new Set(summaries).size).toBe(5);
  return {
    references: references.length,
    automations: automations.length,
    endpoints: endpoints.length,
    earlierRuns: earlier.length,
    hasHeld: held >= earlier.length,
  };
}

/** Runs the first query of the demo's list and downloads the result. */
async function tryDemoQuery(url: string, key: string): Promise<string> {
  const headers = withKey(key);
  const call = caller(url, headers);
  const [query] = pageOf(Query).parse(await call("queries.list")).items;
  const { id } = Run.parse(await call("queries.run", { id: query?.id }));
  const input = encodeURIComponent(JSON.stringify({ id }));
  const watched = await fetch(`${url}/api/trpc/runs.watch?input=${input}`, { headers });
  expect(await watched.text()).toContain('"status":"completed"');
  return (await fetch(`${url}/api/runs/${id}/result.csv`, { headers })).text();
}

const oneSentence = /^[^\n]+\.$/;

function expectOneSentence({ code, errors }: { code: number | null; errors: string }): void {
  expect(code).toBe(1);
  expect(errors).toMatch(/^[^\n]+$/);
}

/** The message of a start that is refused, without a process for it. */
async function refusalOf(environment: Record<string, string>): Promise<string> {
  const ports = {
    PORT: String(await freePort()),
    WORKER_PORT: String(await freePort()),
    RECEIVER_PORT: String(await freePort()),
    PUBLIC_PORT: String(await freePort()),
  };
  const begin = async () => {
    const launch = readNpmStart({ DATA_FOLDER: await newFolder(), ...ports, ...environment });
    await start(launch, { onStep: () => {}, signal: new AbortController().signal });
  };
  const refusal = await begin().then(
    () => expect.unreachable("it started"),
    (error: unknown) => error,
  );
  // Any other error is printed whole, with its stack.
  if (!(refusal instanceof StartError || refusal instanceof SettingsError)) throw refusal;
  expect(refusal.message).toMatch(oneSentence);
  return refusal.message;
}

/** A port on which another program listens. */
async function takenPort(): Promise<string> {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const address = other.address();
  return String(typeof address === "object" && address?.port);
}

describe("npm start", { timeout: timeoutMs }, () => {
  test("runs everything once in a folder, runs again with its data after kill -9, and leaves no process behind", async () => {
    const dataFolder = await newFolder();
    const both = await Promise.allSettled([launch({ dataFolder }), launch({ dataFolder })]);
    const [first] = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const [refused] = both.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(refused).toMatch(
      /Another npm start or pnpm dev is using the folder [^\n]+ DATA_FOLDER=\/some\/folder npm start\.$/,
    );
    if (!first) return expect.unreachable("neither started");
    const known = await describeKey(first.url, first.key);
    expect(known.organization.name).toBe("Demo shop");
    const written = await Promise.all(
      ["logs", "duckdb"].map(async (folder) =>
        (await readdir(join(dataFolder, folder))).map((file) => join(folder, file)),
      ),
    );
    expect(written.flat()).toEqual(expect.arrayContaining(["logs/api.log", "logs/worker.log"]));
    expect(written.flat().some((file) => file.endsWith(".duckdb"))).toBe(true);
    for (const file of ["sealing-keys", "demo-key", ...written.flat()]) {
      expect((await stat(join(dataFolder, file))).mode & 0o777, file).toBe(0o600);
    }
    const made = await countDemo(first.url);
    expect(made).toEqual({ references: 8, automations: 1, endpoints: 3, earlierRuns: 6, hasHeld: true });
    const table = await tryDemoQuery(first.url, first.key);
    expect(table).toMatch(/^month,revenue,web,app,store\r\n\d{4}-\d{2}-01,\d+\.\d{2},/);
    await first.shows(verifiedDelivery);
    await first.shows(verifiedRun);
    await breakQueryAndTrigger(first);
    await first.shows(verifiedFailure);
    const working = await addQueryAndPauseAutomation(first.url);
    await first.kill();

    const second = await launch({ dataFolder });
    expect(second.key).toBe(first.key);
    const again = await describeKey(second.url, second.key);
    expect(again).toMatchObject({ organization: known.organization, user: known.user });
    // Nothing is made twice.
    expect(await countDemo(second.url)).toEqual(made);
    await second.shows(verifiedDelivery);
    await second.shows(new RegExp(`"id":"${working}".*queries\\.run`));
    expect(second.output()).toMatch(/sends a test event\. [\s\S]*automation is paused/);
    expect(second.output()).not.toContain("automations.trigger");
    expect(await second.interrupt(), second.output()).toBe(0);
    expect(second.processes()).toEqual([]);

    const misspelled = await launchExpectingFailure({
      dataFolder,
      environment: { RATE_LIMIT_PER_MINUT: "5" },
    });
    expectOneSentence(misspelled);
    expect(misspelled.errors).toContain(
      "The api did not start: There is no setting RATE_LIMIT_PER_MINUT. Did you mean",
    );
    expect(processesWith(dataFolder)).toEqual([]);
  });

  test("uses the database it is given, with a role that has only the documented privileges, and starts nothing embedded, whatever HOST is; without /proc and isolation, as on macOS, it says so; if one process ends, all do", async () => {
    const database = await createBareDatabase(inject("postgres"), (...names) =>
      Object.values(neededGrants(...names)),
    );
    onTestFinished(() => database[Symbol.asyncDispose]());
    const dataFolder = await newFolder();
    const environment = { DATABASE_URL: database.url };
    const asOnMacos = { NODE_OPTIONS: `--import ${join(import.meta.dirname, "testing/act-as-macos.ts")}` };
    // As Conda exports it, which is no address to listen on.
    const inherited = { HOST: "x86_64-conda-linux-gnu", WORKER_HOST: "0.0.0.0" };
    const started = await launch({ dataFolder, environment: { ...environment, ...asOnMacos, ...inherited } });
    expect((await useKey(started.url, started.key)).status).toBe(200);
    await expect(stat(join(dataFolder, "postgres"))).rejects.toThrow(/ENOENT/);
    await started.shows(verifiedRun);
    expect(started.output()).toMatch(
      /Isolation of queries: none, because its methods need Linux and this is darwin/,
    );

    // If one process ends, all do, and the message says where to look.
    const ended = once(started.process, "close");
    sendSignal("SIGKILL", started.processes("apps/worker/src/main.ts"));
    expect(await ended).toEqual([1, null]);
    const log = join(dataFolder, "logs/worker.log");
    expect(started.errors()).toBe(
      `Stopping everything, because the worker was ended by SIGKILL; its log is ${log}.`,
    );
    expect(started.processes()).toEqual([]);

    const noWebApp = await launchExpectingFailure({
      dataFolder,
      environment: { ...environment, WEB_FOLDER: "/no/such/folder" },
    });
    expectOneSentence(noWebApp);
    expect(noWebApp.errors).toContain(
      "The api did not start: The folder /no/such/folder does not have the built web app.",
    );
    const otherKeys = await launchExpectingFailure({ dataFolder: await newFolder(), environment });
    expect(otherKeys.errors).toContain("sealed with other keys");
  });
});

describe("npm start refuses in one sentence", { timeout: timeoutMs }, () => {
  test.each(["PORT", "RECEIVER_PORT"])("a port that is taken: %s", async (setting) => {
    const port = await takenPort();
    const sentence = await refusalOf({ [setting]: port });
    expect(sentence).toContain(`Port ${port} is taken`);
    expect(sentence).toContain(`with ${setting}=`);
  });

  test("with exit code 1, whether it reads its settings or starts", async () => {
    const port = await takenPort();
    const taken = await launchExpectingFailure({
      dataFolder: await newFolder(),
      environment: { PORT: port },
    });
    expectOneSentence(taken);
    expect(taken.errors).toContain(`Port ${port} is taken`);
    const misspelled = await launchExpectingFailure({
      dataFolder: await newFolder(),
      environment: { DATABASE_URI: "postgresql://localhost/x" },
    });
    expectOneSentence(misspelled);
    expect(misspelled.errors).toContain("no setting DATABASE_URI. Did you mean DATABASE_URL?");
  });

  test("a database that does not answer", async () => {
    const sentence = await refusalOf({ DATABASE_URL: "postgresql://me:secret@127.0.0.1:1/querybell" });
    expect(sentence).toContain("No database answers at 127.0.0.1:1");
    expect(sentence).not.toContain("secret");
  });

  test("a wrong password", async () => {
    const url = new URL(inject("postgres").url);
    url.password = "wrong";
    expect(await refusalOf({ DATABASE_URL: url.href })).toContain(`refuses the user ${url.username}`);
  });

  test("a data folder that cannot be made", async () => {
    // A file in place of the folder fails for root too; missing permissions would not.
    const file = join(await newFolder(), "file");
    await writeFile(file, "");
    expect(await refusalOf({ DATA_FOLDER: join(file, "data") })).toContain("DATA_FOLDER");
    expect(await refusalOf({ DATA_FOLDER: "/proc/querybell/data" })).toContain(
      "The folder /proc/querybell/data cannot be written to",
    );
  });

  test.each([
    [{ PUBLIC_URL: "foo" }, "PUBLIC_URL must be an http or https address"],
    [{ PUBLIC_URL: "http://localhost:4000/app" }, "PUBLIC_URL must not have a path"],
    [{ DATABASE_URL: "mysql://somewhere" }, "DATABASE_URL must begin with postgresql://"],
    [{ PORT: "abc" }, "PORT must be a port, from 1 to 65535"],
    [
      { PORT: "4321", WORKER_PORT: "4321" },
      "PORT, WORKER_PORT, RECEIVER_PORT and PUBLIC_PORT must be different ports.",
    ],
  ])("the settings %o", async (environment, sentence) => {
    expect(await refusalOf(environment)).toContain(sentence);
  });

  test("an empty file of keys", async () => {
    const dataFolder = await newFolder();
    await writeFile(join(dataFolder, "sealing-keys"), "");
    expect(await refusalOf({ DATA_FOLDER: dataFolder })).toContain(join(dataFolder, "sealing-keys"));
  });
});
