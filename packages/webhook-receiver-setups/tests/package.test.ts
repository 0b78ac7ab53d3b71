import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import { build } from "esbuild";
import { publint } from "publint";
import { describe, expect, inject, test } from "vitest";
import { kit } from "../src/kit.ts";

const installed = join(inject("emptyProject"), "node_modules/@querybell/webhook-receiver");
const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));

describe("the packed kit", () => {
  test("has no dependencies of any kind", () => {
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
      expect(manifest).not.toHaveProperty(kind);
    }
  });

  test("imports nothing but itself and Node's own modules", async () => {
    const { metafile } = await bundle(Object.keys(manifest.exports).flatMap(entryFile));
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
    const foreign = imported.filter(({ external, path }) => external && !path.startsWith("node:"));
    expect(foreign).toEqual([]);
  });

  test("is clean to publint", async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("has the right types under every module resolution", async () => {
    const tarball = createPackageFromTarballData(await readFile(inject("tarball")));
    const checked = await checkPackage(tarball);
    expect(checked.types && "problems" in checked && checked.problems).toEqual([]);
  });
});

test("a diagnosis that cannot be loaded does not hide the refusal", async () => {
  const outfile = join(inject("emptyProject"), "undiagnosed.mjs");
  await build({
    entryPoints: [file("index.web")],
    outfile,
    bundle: true,
    format: "esm",
    external: ["./diagnose.js"],
  });
  const { createReceiver } = await import(outfile);
  const body = "{}";
  const receiver = createReceiver({ secrets: createTestSecret() });
  const refusal = receiver.verify({ headers: signedHeaders({ secret: createTestSecret(), body }), body });
  await expect(refusal).rejects.toMatchObject({
    code: "signature_mismatch",
    hint: expect.stringMatching(/raw body/),
  });
});

test("the README's table has every error code, and no other", async () => {
  const declared = await readFile(join(installed, "dist/esm/lib/webhook-error.d.ts"), "utf8");
  const [, union = ""] = /WebhookErrorCode = ([^;]*);/.exec(declared) ?? [];
  const readme = await readFile(join(installed, "README.md"), "utf8");
  const [, table = ""] = /## When something is wrong(.*?)^## /ms.exec(readme) ?? [];
  const codes = Array.from(union.matchAll(/"(\w+)"/g), ([, code]) => code);
  expect(Array.from(table.matchAll(/^\| `(\w+)`/gm), ([, code]) => code).sort()).toEqual(codes.sort());
  expect(codes.length).toBeGreaterThan(10);
});

test("the errors' docs and the README's own links lead to sections of the README in the manifest's repository", async () => {
  const { WebhookError } = await import(join(installed, "dist/esm/index.node.js"));
  const readme = await readFile(join(installed, "README.md"), "utf8");
  const anchors = Array.from(readme.matchAll(/^##+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  const { url, directory } = manifest.repository;
  const address = url.replace(/^git\+(.*)\.git$/, `$1/tree/main/${directory}`);
  const [page, anchor] = new WebhookError("malformed_id", "").docs.split("#");
  expect(page).toBe(address);
  const links = Array.from(readme.matchAll(/\]\(#([^)]*)\)/g), ([, link]) => link);
  expect(anchors).toEqual(expect.arrayContaining([anchor, ...links]));
  expect(directory).toBe(relative(join(kit, "../.."), kit));
});

describe("bundled, minified and gzipped", () => {
  const core = ["index.web", "index.node"];
  const adapters = ["express", "fastify", "hono", "next", "node"];

  // What the README says.
  test.each(core)("%s is at most 5.8 KB, or 4.1 KB with the diagnosis apart", async (name) => {
    const plain = await bundle([file(name)], { splitting: false });
    expect(plain.size).toBeLessThanOrEqual(5.85 * 1024);
    const { size, outputs } = await bundle([file(name)]);
    expect(size).toBeLessThanOrEqual(4.15 * 1024);
    expect(outputs).toContainEqual(expect.stringContaining("diagnose"));
  });

  test.each(adapters)("%s adds at most 1.1 KB", async (name) => {
    const alone = await bundle([file("index.node")]);
    const together = await bundle([file("index.node"), file(name)]);
    expect(together.size - alone.size).toBeLessThanOrEqual(1.15 * 1024);
  });
});

const file = (name: string) => join(installed, "dist/esm", `${name}.js`);

function entryFile(path: string): string[] {
  const { import: esm, node } = Object(manifest.exports[path]);
  return [esm, node?.import]
    .filter((target) => typeof target === "string")
    .map((target) => join(installed, target));
}

/** What a cold start would load at once: the entries, without what is imported on demand if that is split off. */
async function bundle(entries: string[], { splitting = true } = {}) {
  const contents = entries.map((path) => `export * from ${JSON.stringify(path)};`);
  const { outputFiles, metafile } = await build({
    stdin: { contents: contents.join("\n"), resolveDir: installed },
    bundle: true,
    minify: true,
    splitting,
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    outdir: "out",
    write: false,
    metafile: true,
  });
  const outputs = Object.keys(metafile.outputs);
  const loaded = outputFiles.filter(({ path }) => !path.includes("diagnose"));
  const size = loaded.reduce((total, { contents }) => total + gzipSync(contents, { level: 9 }).length, 0);
  return { size, outputs, metafile };
}
