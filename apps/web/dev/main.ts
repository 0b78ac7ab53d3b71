// The pages in development, started by `pnpm dev`: Vite, and the api behind the same address.
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { createServer } from "vite";
import { readDevSettings } from "./env.ts";
import { ApiState, ApiStatus, forwardToApi } from "./forward-to-api.ts";
import { pageFiles, writePageFiles } from "./page-files.ts";

const settings = readDevSettings();
const root = resolve(import.meta.dirname, "..");
const repository = resolve(root, "../..");
const api = new ApiStatus();
process.on("message", (message) => api.set(ApiState.parse(message)));

const server = await createServer({
  root,
  configFile: join(root, "vite.config.ts"),
  // The api answers with the pages.
  appType: "custom",
  cacheDir: settings.CACHE_FOLDER,
  clearScreen: false,
  plugins: [pageFiles(settings.PAGES_FOLDER), forwardToApi(settings.API_PORT, api)],
  server: {
    host: "127.0.0.1",
    port: settings.PORT,
    strictPort: true,
    allowedHosts: [new URL(settings.PUBLIC_URL).hostname],
    // Not the whole repository, which is the default: its data folder has keys.
    fs: {
      allow: [
        root,
        join(repository, "packages"),
        realpathSync(join(repository, "node_modules")),
        settings.CACHE_FOLDER,
      ],
    },
  },
});
await server.listen();
await writePageFiles(server, settings.PAGES_FOLDER);

for (const event of ["SIGTERM", "disconnect"]) {
  process.once(event, async () => {
    await server.close();
    process.exit();
  });
}
process.send?.("ready");
