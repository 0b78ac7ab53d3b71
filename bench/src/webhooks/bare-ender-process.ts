// The upper bound for events one by one: a bare loop of transactions that write the same rows. Nothing is delivered.

import { perSecond } from "../automations/api-load.ts";
import { bareComplete, openBarePool } from "../automations/bare-complete.ts";
import { benchSummary } from "./numbered-event.ts";
import { EndRequest } from "./running-runs.ts";

const pool = openBarePool();

process.on("message", async (message) => {
  const { runs, concurrency } = EndRequest.parse(message);
  const left = runs.values();
  const rate = await perSecond({ calls: runs.length, concurrency }, async () => {
    const { value: run } = left.next();
    if (run) await pool.query(bareComplete(run.id, benchSummary));
  });
  process.send?.(rate);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
