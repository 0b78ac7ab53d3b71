import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { pinned } from "../kit.ts";
import { type Variant, variants } from "../variants.ts";
import { programOf, type Setup, withoutSecret } from "./setup.ts";

const bin = (folder: string) => join(folder, "node_modules/next/dist/bin/next");

const tsconfig = JSON.stringify({
  compilerOptions: {
    lib: ["dom", "esnext"],
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    allowJs: true,
    esModuleInterop: true,
    incremental: true,
    isolatedModules: true,
    jsx: "react-jsx",
    noEmit: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    strict: true,
    plugins: [{ name: "next" }],
  },
  include: ["next-env.d.ts", "**/*.ts", ".next/types/**/*.ts"],
  exclude: ["node_modules"],
});

interface Router {
  name: string;
  traits: Setup["traits"];
  /** A text that only this recipe for Next contains. */
  containing: string;
  /** Code before the recipe. */
  before?: string;
  file: (variant: Variant) => string;
  path: (variant: Variant) => string;
}

const routers: Router[] = [
  {
    name: "next, app router",
    traits: ["fetch", "next"],
    containing: "app/webhooks/route.ts",
    file: (variant) => `app/${variant}/route.ts`,
    path: (variant) => `/${variant}`,
  },
  {
    name: "next, edge",
    traits: ["fetch", "next", "whole-bodies"],
    containing: "app/webhooks/route.ts",
    before: 'export const runtime = "edge";',
    file: (variant) => `app/${variant}/route.ts`,
    path: (variant) => `/${variant}`,
  },
  {
    name: "next, pages router",
    traits: ["node-listener", "next"],
    containing: "pages/api/webhooks.ts",
    file: (variant) => `pages/api/${variant}.ts`,
    path: (variant) => `/api/${variant}`,
  },
];

/** Each is built once, without the secret as in most deployments. The build also checks the routes' types. */
export const nextSetups: Setup[] = routers.map(({ name, traits, containing, before = "", file, path }) => ({
  name,
  traits,
  dependencies: Object.fromEntries(
    ["next", "react", "react-dom", "typescript", "@types/node", "@types/react"].map((dependency) => [
      dependency,
      pinned(dependency),
    ]),
  ),
  files: () => ({
    "tsconfig.json": tsconfig,
    ...Object.fromEntries(
      variants.map((variant) => [file(variant), programOf({ heading: "Next", containing, before }, variant)]),
    ),
  }),
  async build(folder) {
    const env = { ...withoutSecret(), NEXT_TELEMETRY_DISABLED: "1" };
    await promisify(execFile)(process.execPath, [bin(folder), "build"], { cwd: folder, env }).catch(
      (error) => {
        throw new Error(`next build failed:\n${error.stdout}${error.stderr}`);
      },
    );
  },
  start: (folder) => ({
    program: process.execPath,
    args: [bin(folder), "start", "--hostname", "127.0.0.1", "--port", "0"],
  }),
  path,
}));
