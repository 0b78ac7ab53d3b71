import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InstalledClient, installClient } from "./testing/installed-client.ts";
import { goodKey, startWireServer } from "./testing/wire-server.ts";

const run = promisify(execFile);

// What a user of the package would write, and three mistakes that the compiler must find.
const program = `
import { createClient, type Inputs, type Outputs, toApiError } from "@querybell/client";

declare const process: { argv: string[] };
const [, , url = "", apiKey = ""] = process.argv;
const client = createClient({ url, apiKey });
const { name }: Outputs["keys"]["describe"] = await client.keys.describe.query();
const wish: Inputs["keys"]["create"] = { name: "", scopes: ["queries:read"] };
const apiError = await client.keys.create.mutate(wish).catch(toApiError);
console.log(JSON.stringify({ name, apiError }));

// @ts-expect-error there is no such procedure
client.keys.destroy;
// @ts-expect-error a scope that does not exist
wish.scopes.push("queries:destroy");
// @ts-expect-error a name is a string
name satisfies number;
`;

const ofTheServer = /\b(prisma|pg|fastify|better-auth|zod|pino|graphile-worker)\b/i;

let installed: InstalledClient;
beforeAll(async () => {
  installed = await installClient();
  await writeFile(join(installed.folder, "program.ts"), program);
});
afterAll(() => installed[Symbol.asyncDispose]());

describe("the packed client, installed in an empty project", () => {
  test.each(["nodenext", "bundler"])("type-checks under %s resolution, by itself", async (resolution) => {
    const module = resolution === "bundler" ? "esnext" : "nodenext";
    const options = ["--moduleResolution", resolution, "--module", module, "--target", "es2024"];
    const { complaints, filesRead } = await installed.typeCheck("program.ts", ...options);
    // tRPC's own declarations import an optional package that is not installed.
    expect(complaints.filter((line) => !line.includes("/@trpc/"))).toEqual([]);
    const read = filesRead.filter((file) => !/\/lib\.[\w.]+\.d\.ts$/.test(file));
    expect(read.filter((file) => !file.startsWith(installed.folder))).toEqual([]);
    expect(read.map((file) => basename(file))).toContain("contract.d.ts");
  });

  test("runs", async () => {
    await using server = await startWireServer();
    const words = ["program.ts", server.url, goodKey];
    const { stdout } = await run(process.execPath, words, { cwd: installed.folder });
    expect(JSON.parse(stdout)).toMatchObject({
      name: `Bearer ${goodKey}`,
      apiError: { reason: "invalid_request", status: 400 },
    });
  });

  test("contains no code of the server", async () => {
    expect((await installed.packages()).filter((name) => ofTheServer.test(name))).toEqual([]);
    const files = globSync(join(installed.folder, "node_modules/@querybell/client/**/*.*"));
    expect(files.map((file) => basename(file))).toContain("index.d.ts");
    const mentions = await Promise.all(
      files.map(async (file) => ofTheServer.exec(await readFile(file, "utf8"))?.[0] ?? ""),
    );
    expect(mentions.filter((mention) => mention !== "")).toEqual([]);
  });
});
