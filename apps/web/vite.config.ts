import { fileURLToPath } from "node:url";
import { Password } from "@querybell/domain";
import { defineConfig } from "vite";
import manifest from "../../package.json" with { type: "json" };
import { docsPages } from "./build/docs-pages.ts";
import type { BuildFacts } from "./src/build-facts.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

// Read here and written into the bundle, so that the pages need not carry the schemas to know two numbers.
const facts: BuildFacts = {
  version: manifest.version,
  shortestPassword: Password.minLength ?? 0,
  longestPassword: Password.maxLength ?? 0,
};

export default defineConfig({
  plugins: [docsPages(repository)],
  define: { __BUILD_FACTS__: JSON.stringify(facts) },
  build: { target: "es2022", modulePreload: { polyfill: false } },
});
