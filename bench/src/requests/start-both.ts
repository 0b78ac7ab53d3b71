import { freePort } from "@querybell/embedded-postgres";
import { z } from "zod";
import { apiEntry, startChild } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";

/** Starts the api and the bare server, each in its own process, on the same database. */
export async function startBoth({ environment }: Installation, cleanup: AsyncDisposableStack) {
  const port = await freePort();
  const api = await startChild(apiEntry, {
    ...environment,
    // As in production: a line for each request is part of what it costs.
    LOG_LEVEL: "info",
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: "1000000000",
  });
  cleanup.defer(api.kill);
  const bare = await startChild(new URL("bare-process.ts", import.meta.url), environment);
  cleanup.defer(bare.kill);
  return {
    ours: { url: `http://127.0.0.1:${port}`, process: api },
    bare: { url: z.string().parse(await bare.ask({ ask: "url" })), process: bare },
  };
}
