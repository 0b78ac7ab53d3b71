import { fileURLToPath } from "node:url";
import { Password } from "@querybell/domain";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import manifest from "../../package.json" with { type: "json" };
import { docsPages } from "./build/docs-pages.ts";
import { pagesManifest } from "./build/pages-manifest.ts";
import { receiverSnippets } from "./build/receiver-snippets.ts";
import type { BuildFacts } from "./src/app/build-facts.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

// Read here and written into the bundle, so that the shell need not carry the schemas to know two numbers.
const facts: BuildFacts = {
  version: manifest.version,
  shortestPassword: Password.minLength ?? 0,
  longestPassword: Password.maxLength ?? 0,
};

// The first versions with light-dark(), which would otherwise be rewritten in a way that ignores a chosen scheme.
const browsers = ["chrome123", "firefox120", "safari17.5"];

const define = { __BUILD_FACTS__: JSON.stringify(facts) };

export default defineConfig({
  plugins: [react(), docsPages(repository), receiverSnippets(repository), pagesManifest({ define })],
  define,
  // The api writes a nonce of its own into each answer.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    target: browsers,
    modulePreload: { polyfill: false },
    // A data: address would need a wider content security policy.
    assetsInlineLimit: 0,
    manifest: true,
  },
});
