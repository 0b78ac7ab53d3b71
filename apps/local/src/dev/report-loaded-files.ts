// Preloaded into our apps in development: tells the launcher which files the process loads, except those of packages
// from the registry. A file that fails to load is reported, too.
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const reported = new Set<string>();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const { url } = resolved;
    if (url.startsWith("file:") && !url.includes("/node_modules/") && !reported.has(url)) {
      reported.add(url);
      process.send?.({ loaded: fileURLToPath(url) });
    }
    return resolved;
  },
});
