// Ends runs with the function that workers and the api end them with: one event in each transaction. Says when it has
// ended all of them.
import { endAutomationRun } from "@querybell/core/automations";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { systemClock } from "@querybell/domain";
import { readEmitterSettings } from "./env.ts";
import { benchSummary } from "./numbered-event.ts";
import { EndRequest } from "./running-runs.ts";

const deps = openDeps({ settings: readEmitterSettings(), clock: systemClock, onError: console.error });

async function handle({ runs, concurrency }: ReturnType<typeof EndRequest.parse>): Promise<void> {
  const left = runs.values();
  const endOneByOne = async () => {
    for (const run of left) await endAutomationRun(deps, run, { kind: "completed", summary: benchSummary });
  };
  await Promise.all(Array.from({ length: concurrency }, endOneByOne));
  process.send?.("ended");
}

process.on("message", (message) => void handle(EndRequest.parse(message)));
process.on("SIGTERM", async () => {
  await closeDeps(deps);
  process.exit();
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
