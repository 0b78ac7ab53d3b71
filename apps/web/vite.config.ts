import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Password } from "@querybell/domain";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import manifest from "../../package.json" with { type: "json" };
import { chartApp } from "./build/chart-app.ts";
import { compressFiles } from "./build/compress-files.ts";
import { docsPages } from "./build/docs-pages.ts";
import { pagesManifest } from "./build/pages-manifest.ts";
import { receiverSnippets } from "./build/receiver-snippets.ts";
import type { BuildInfo } from "./src/app/build-info.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

// Read here and written into the bundle, so that the shell need not carry the schemas to know two numbers.
const buildInfo: BuildInfo = {
  version: manifest.version,
  shortestPassword: Password.minLength ?? 0,
  longestPassword: Password.maxLength ?? 0,
};

// The first versions with light-dark(), which would otherwise be rewritten in a way that ignores a chosen scheme.
const browsers = ["chrome123", "firefox120", "safari17.5"];

const define = { __BUILD_INFO__: JSON.stringify(buildInfo) };

// What every page needs is two files, of which the larger one changes only when a dependency does. The editor and the
// charts are large and are loaded where they are shown. What five pages or more share is one file: left to itself the
// build makes many, most of them smaller than the headers of a request.
const sharedByPages = /node_modules|src[\\/](?:errors|format|notifications|parameters|runs|session|ui)[\\/]/;
const chunks = [
  // Apart from the others, because what runs before the app has loaded says a time too.
  { name: "times", test: /src[\\/]format[\\/](?:intl-formats|times)\.ts$/, priority: 7 },
  // What requests results before the app has loaded imports nothing of it.
  { name: "early", test: /src[\\/].*[\\/]early-results\.ts$/, priority: 6 },
  { name: "libraries", test: /node_modules/, tags: ["$initial" as const], priority: 4 },
  { name: "shell", tags: ["$initial" as const], priority: 3 },
  { name: "editor", test: /node_modules[\\/]@(?:codemirror[\\/](?!merge)|lezer[\\/])/, priority: 2 },
  { name: "common", test: sharedByPages, minShareCount: 5, priority: 1 },
];

export default defineConfig({
  plugins: [
    react(),
    docsPages(repository),
    receiverSnippets(repository),
    pagesManifest({ define }),
    chartApp(browsers),
    compressFiles(),
  ],
  define,
  // The api writes its own nonce into each answer.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    target: browsers,
    modulePreload: { polyfill: false },
    // A data: address would need a wider content security policy.
    assetsInlineLimit: 0,
    manifest: true,
    // The libraries that every page needs. What counts is their size on the wire, which shell-size.test.ts holds.
    chunkSizeWarningLimit: 750,
    rolldownOptions: {
      input: ["index.html", "src/pages/dashboards/early-results.ts"].map((file) =>
        join(import.meta.dirname, file),
      ),
      output: { codeSplitting: { groups: chunks } },
    },
  },
});
