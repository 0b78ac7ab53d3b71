// Set-ups that load one bundled file: the runtimes of Cloudflare and Vercel, with the bundler that both use.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { type Variant, variants } from "../variants.ts";
import { programOf, type Setup } from "./setup.ts";

const bundle = (
  folder: string,
  variant: Variant,
  options: { conditions: string[]; format: "esm" | "iife" },
) =>
  build({
    absWorkingDir: folder,
    entryPoints: [`${variant}.ts`],
    outfile: join(folder, `${variant}.bundle.js`),
    bundle: true,
    target: "es2022",
    external: ["node:*"],
    logLevel: "silent",
    ...options,
  });

/** Decides which of Node's APIs a Worker has. */
interface Compatibility {
  date: string;
  flag?: "nodejs_compat";
}

const workerdConfig = (variant: Variant, { date, flag }: Compatibility) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "${variant}.bundle.js")],
  bindings = [
    (name = "WEBHOOK_SECRET", fromEnvironment = "WEBHOOK_SECRET"),
    (name = "WEBHOOK_SECRET_NEW", fromEnvironment = "WEBHOOK_SECRET_NEW"),
    (name = "WEBHOOK_OVERLAP_ENDS", fromEnvironment = "WEBHOOK_OVERLAP_ENDS")
  ],
  compatibilityDate = "${date}",
  compatibilityFlags = [${flag ? `"${flag}"` : ""}]
);
`;

const workerd = (name: string, compatibilityOf: (variant: Variant) => Compatibility): Setup => ({
  name,
  traits: ["fetch"],
  dependencies: { workerd: "1.20261104.1" },
  files: () =>
    Object.fromEntries(
      variants.flatMap((variant) => [
        [`${variant}.ts`, programOf({ heading: "Cloudflare Workers" }, variant)],
        [`${variant}.capnp`, workerdConfig(variant, compatibilityOf(variant))],
      ]),
    ),
  async build(folder) {
    const conditions = ["workerd", "worker", "browser"];
    for (const variant of variants) await bundle(folder, variant, { conditions, format: "esm" });
  },
  start: (folder, variant) => ({
    program: join(folder, "node_modules/.bin/workerd"),
    args: ["serve", "--control-fd=1", `${variant}.capnp`],
  }),
});

const edgeRuntime: Setup = {
  name: "edge-runtime",
  traits: ["fetch"],
  dependencies: { "edge-runtime": "4.0.1" },
  async files() {
    const after = "addEventListener('fetch', (event) => event.respondWith(POST(event.request)));";
    return {
      ...Object.fromEntries(
        variants.map((variant) => [`${variant}.ts`, programOf({ heading: "Next", after }, variant)]),
      ),
      "serve.mjs": await readFile(join(import.meta.dirname, "serve-edge-runtime.mjs"), "utf8"),
    };
  },
  async build(folder) {
    for (const variant of variants)
      await bundle(folder, variant, { conditions: ["edge-light", "browser"], format: "iife" });
  },
  start: (_, variant) => ({ program: process.execPath, args: ["serve.mjs", `${variant}.bundle.js`] }),
};

export const bundledSetups: Setup[] = [
  // Before 2026-08-04, Node's APIs need the flag. The recipe uses none of them; the other examples read `process.env`.
  workerd("workerd", (variant) => ({
    date: "2026-06-01",
    ...(variant !== "written" && { flag: "nodejs_compat" as const }),
  })),
  workerd("workerd, nodejs_compat by its date", () => ({ date: "2026-10-01" })),
  edgeRuntime,
];
