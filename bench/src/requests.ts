// pnpm bench requests: what every request costs. A small query with an API key through the whole api, over a bare
// Fastify route that runs the same statement and answers the same.
import { createKey } from "@querybell/core/keys";
import { printFigures } from "./measuring/measuring.ts";
import { compareGets } from "./requests/get-load.ts";
import { startBoth } from "./requests/start-both.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const owner = await installation.addOwner();
  const { key } = await createKey(installation.deps, owner, { name: "Bench", scopes: ["queries:read"] });
  const { ours, bare } = await startBoth(installation, cleanup);
  const headers = { authorization: `Bearer ${key}` };
  const input = encodeURIComponent(JSON.stringify({ 0: {} }));
  const compared = await compareGets(
    { ...ours, path: `/api/trpc/keys.describe?batch=1&input=${input}`, headers },
    { ...bare, path: "/key", headers },
  );
  printFigures("requests", {
    ratio: compared.ratio.toFixed(2),
    cpu_ms: compared.ours.cpuMs.toFixed(2),
    bare_cpu_ms: compared.bare.cpuMs.toFixed(2),
  });
});
