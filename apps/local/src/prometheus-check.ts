// `node apps/local/src/prometheus-check.ts --api http://127.0.0.1:4000 --worker http://127.0.0.1:4001 --token …`: checks
// the alert rules and the dashboard with a real Prometheus (Debian's, downloaded if none is installed). It tests which
// alerts fire on which series; then it scrapes the running api and worker for a minute and evaluates every expression.
// Fails if one is wrong. Names those that found no series: nothing of their kind may have happened in that minute.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { repository } from "./env.ts";
import { readPanels } from "./testing/expressions.ts";
import { alertRules, ensurePrometheus, startPrometheus } from "./testing/prometheus.ts";

const scrapes = 60;
const { values: flags } = parseArgs({
  options: {
    api: { type: "string", default: "http://127.0.0.1:4000" },
    worker: { type: "string", default: "http://127.0.0.1:4001" },
    // Without METRICS_TOKEN, which only a development installation may lack, any is accepted.
    token: { type: "string", default: "none" },
  },
});

const { program, promtool } = await ensurePrometheus();
console.log(await promtool("check", "rules", alertRules));
console.log(await promtool("test", "rules", join(repository, "deploy/prometheus/alerts.test.yml")));

await using prometheus = await startPrometheus(program, {
  api: new URL(flags.api),
  worker: new URL(flags.worker),
  token: flags.token,
});
console.log(`Scraping ${flags.api} and ${flags.worker} ${scrapes} times…`);
const isScraped = async () => {
  const counts = await prometheus.query("sum by (job) (sum_over_time(up[1h]))");
  return counts.length === 2 && counts.every((count) => count >= scrapes);
};
for (let tries = 1; !(await isScraped()); tries++) {
  if (tries === 3 * scrapes)
    throw new Error("The api or the worker does not answer. Check addresses and token.");
  await sleep(1_000);
}

const without: string[] = [];
for (const [panel, expression] of readPanels()) {
  const values = await prometheus.query(expression.replaceAll("$__rate_interval", "1m"));
  const found = values.filter((value) => !Number.isNaN(value));
  if (found.length === 0) without.push(panel);
  console.log(`${String(found.length).padStart(4)} series  ${panel}`);
}
const rules = await prometheus.rules();
for (const { name, state, health, lastError } of rules) {
  console.log(`${state.padEnd(11)}  alert ${name}`);
  if (health !== "ok") throw new Error(`Prometheus cannot evaluate ${name}: ${lastError}`);
}
if (without.length > 0) console.log(`Without a series in this minute:\n${without.join("\n")}`);
