// How the cost of each operation grows with the data: at 1, 10, 100 and 1,000 times the history, as a ratio to its own
// cost at 1. The cost is the number of pages that its statements touch in Postgres, which does not depend on the machine
// or on what else runs there. Writes the chart of docs/performance.md.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { multiplyRows } from "@querybell/core/testing/plans";
import { createEndpoint } from "@querybell/core/webhooks";
import { CreateWebhookEndpoint } from "@querybell/domain";
import { createBenchAutomation, createSquaresReference } from "./automations/create-automation.ts";
import { lineChart } from "./charts/line-chart.ts";
import {
  type Cost,
  completeRun,
  deliver,
  measureOperations,
  type Subject,
  startAcceptingReceiver,
} from "./growth/operations.ts";
import { printFigures } from "./measuring/measuring.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const levels = [1, 10, 100, 1_000];
/** Rows of each kind of history at level 1. */
const baseRows = 100;
/** The retention period, and how many rows of each kind are older, at every level. */
const period = { days: 90, oldRows: 50 };
const historyTables = [
  "automation_runs",
  "automation_steps",
  "query_references",
  "webhook_attempts",
  "webhook_deliveries",
  "webhook_events",
];

await withCleanup(async (cleanup) => {
  const measured = new Map<string, [level: number, cost: Cost][]>();
  for (const level of levels) {
    const installation = cleanup.use(await startSubject());
    const { subject } = installation;
    const rowCount = level * baseRows;
    // So many days that `oldRows` of the rows, which are spread evenly, are older than the period.
    const days = period.days / (1 - period.oldRows / rowCount);
    const started = performance.now();
    await multiplyRows(installation.superuserUrl, { rowCount, days, tables: historyTables });
    console.log(`${rowCount} rows of each kind after ${Math.round((performance.now() - started) / 1000)} s`);
    for (const [name, cost] of await measureOperations(subject, period)) {
      console.log(`  ${name}: ${cost.pages.toFixed(1)} pages`);
      measured.set(name, [...(measured.get(name) ?? []), [level, cost]]);
    }
  }
  report(measured);
  await writeFile(fileURLToPath(new URL("../../docs/images/growth.svg", import.meta.url)), draw(measured));
});

/** A new installation in which every operation has happened once. */
async function startSubject() {
  await using started = new AsyncDisposableStack();
  const installation = await startInstallation({ onError: console.error });
  started.defer(() => installation.dispose());
  const receiver = started.use(await startAcceptingReceiver());
  const { deps } = installation;
  const owner = await installation.addOwner();
  const shortId = await createSquaresReference(deps, owner, installation.settings.DATABASE_URL);
  const automation = await createBenchAutomation(deps, owner, {
    references: [{ shortId }],
    agent: "external",
  });
  const eventTypes = ["automation.run.completed"];
  await createEndpoint(deps, owner, CreateWebhookEndpoint.parse({ url: receiver.url, eventTypes }));
  const subject: Subject = { deps, owner, automationId: automation.id };
  await completeRun(subject);
  await deliver(deps);
  const held = started.move();
  return {
    subject,
    superuserUrl: installation.superuserUrl,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Prints what each operation costs, and the largest ratio of the last level to the first. */
function report(measured: Map<string, [number, Cost][]>): void {
  let worst = 0;
  for (const [name, costs] of measured) {
    const pages = costs.map(([, cost]) => cost.pages);
    const ratio = (pages.at(-1) ?? Number.NaN) / (pages[0] ?? Number.NaN);
    worst = Math.max(worst, ratio);
    const each = costs.map(
      ([level, cost]) => `${level}x ${cost.pages.toFixed(1)} (${cost.milliseconds.toFixed(3)} ms)`,
    );
    console.log(`${name}: ratio ${ratio.toFixed(2)}; pages ${each.join(", ")}`);
  }
  printFigures("growth", { worst: worst.toFixed(2) });
}

function draw(measured: Map<string, [number, Cost][]>): string {
  return lineChart({
    title: "What an operation costs as history grows",
    xLabel: "times the history",
    yLabel: "pages touched, times those at 1",
    lines: [...measured].map(([name, costs]) => ({
      name,
      points: costs.map(
        ([level, { pages }]) => [level, pages / (costs[0]?.[1].pages ?? Number.NaN)] as const,
      ),
    })),
  });
}
