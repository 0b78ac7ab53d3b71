import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiSettings } from "@querybell/api/settings";
import { PublicSettings } from "@querybell/public/settings";
import { WorkerSettings } from "@querybell/worker/settings";
import { expect, test } from "vitest";
import { repository } from "./env.ts";

const read = (file: string): string => readFileSync(join(repository, file), "utf8");
const all = (text: string, form: RegExp): string[] => [...text.matchAll(form)].map(([, found = ""]) => found);

test("the Dockerfile uses the pnpm and the Node of the workspace", () => {
  const dockerfile = read("Dockerfile");
  const { packageManager } = JSON.parse(read("package.json"));
  expect(all(dockerfile, /install --global (\S+)/g)).toEqual([packageManager]);
  const [major] = all(read("pnpm-workspace.yaml"), /^ {2}node: (\d+)\./gm);
  expect(all(dockerfile, /^ARG NODE_IMAGE=node:(\d+)-/gm)).toEqual([major]);
});

// pnpm refuses to install without them.
test("the packages of the image are installed with the patches of the workspace", () => {
  const patches = all(read("pnpm-workspace.yaml"), /: (patches\/\S+\.patch)$/gm);
  expect(patches).not.toEqual([]);
  for (const patch of patches) expect(read(patch)).toContain("diff --git");
  expect(read("deploy/assemble.sh")).toContain('cp -R patches "$target/patches"');
});

test("the compose file and the image set only settings that exist", () => {
  const compose = read("compose.yaml");
  const [, block = ""] =
    /^x-querybell:[\s\S]*? environment: &environment\n((?: {4}\w+: .*\n)+)/m.exec(compose) ?? [];
  const inImage = all(read("Dockerfile"), /^ENV (.*)$/gm).flatMap((line) => all(line, /(\w+)=/g));
  const used = [...all(block, /^ {4}(\w+):/gm).map((name) => name.replace(/_FILE$/, "")), ...inImage];
  expect(used).toContain("SEALING_KEYS");
  const known = Object.keys({ ...ApiSettings.shape, ...WorkerSettings.shape, ...PublicSettings.shape });
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});

test("the chart and the systemd units set only settings that exist", () => {
  const chart = all(read("deploy/helm/querybell/templates/_helpers.tpl"), /name: ([A-Z_]+),/g);
  const units = readdirSync(join(repository, "deploy/systemd"))
    .filter((file) => /\.(service|conf)$/.test(file))
    .flatMap((file) => all(read(`deploy/systemd/${file}`), /^Environment=(.*)$/gm))
    .flatMap((line) => all(line, /([A-Z_]+)=/g));
  const [secrets = ""] = all(
    read("deploy/helm/querybell/values.schema.json"),
    /"optionalSecrets": ([^\]]*)/g,
  );
  const used = [...chart, ...units, ...all(secrets, /"([a-z]+_[a-z_]+)"/g).map((name) => name.toUpperCase())];
  expect(used).toEqual(expect.arrayContaining(["PUBLIC_URL", "DUCKDB_FOLDER", "OIDC_CLIENT_SECRET"]));
  const shapes = { ...ApiSettings.shape, ...WorkerSettings.shape, ...PublicSettings.shape };
  const known = [...Object.keys(shapes), "CHECK_DATABASE_URL"];
  expect(used.filter((name) => !known.includes(name.replace(/_FILE$/, "")))).toEqual([]);
});

test("what git ignores is not sent to a build, secrets among it", () => {
  const ignored = read(".dockerignore")
    .split("\n")
    .map((line) => line.replace(/^\*\*\//, ""));
  const byGit = read(".gitignore").split("\n").filter(Boolean);
  const missing = byGit
    .map((line) => line.replace(/^(\*\*)?\//, "").replace(/\/$/, ""))
    .filter((name) => !ignored.includes(name));
  expect(missing).toEqual(["*.tsbuildinfo"]);
});

test("the tags of the image are the version of the workspace", () => {
  const { version } = JSON.parse(read("package.json"));
  for (const file of ["compose.yaml", "deploy/build-without-registry.sh"]) {
    expect(new Set(all(read(file), /querybell:(\d[\d.]*)/g)), file).toEqual(new Set([version]));
  }
  expect(all(read("deploy/helm/querybell/Chart.yaml"), /^(?:appV|v)ersion: (.*)$/gm)).toEqual([
    version,
    version,
  ]);
});
