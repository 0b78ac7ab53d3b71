// The hostile organization, in a process of its own: everything at once, bounded in number, until it is killed.
import { setTimeout as delay } from "node:timers/promises";
import { createApi, signIn } from "./api-calls.ts";
import { FloodOrder } from "./flood-order.ts";

const lanes = { pages: 8, tests: 10, bigValues: 2, triggers: 4, subscriptions: 40 };
const pauseMs = 20;
const bigValue = "x".repeat(900_000);

/** Does something for ever, whatever is refused. */
async function repeat(work: () => Promise<unknown>): Promise<never> {
  for (;;) {
    await work().catch(() => {});
    await delay(pauseMs);
  }
}

async function flood(order: FloodOrder): Promise<void> {
  const { url, publicUrl, slowQueryIds, bigQueryId, automationIds, silentPort } = order;
  const { client, watch } = createApi(url, order.key);
  const asPerson = await signIn(url, publicUrl, order);
  const signal = new AbortController().signal;
  const times = (count: number, work: () => Promise<unknown>) => {
    for (let lane = 0; lane < count; lane++) void repeat(work);
  };

  const runs = await Promise.all(slowQueryIds.map((id) => client.queries.run.mutate({ id })));
  for (const id of slowQueryIds) void repeat(() => client.queries.run.mutate({ id }));
  for (let opened = 0; opened < lanes.subscriptions; opened++) {
    const run = runs[opened % runs.length];
    if (run) void repeat(async () => (await watch(run.id, signal)).text());
  }
  times(lanes.pages, () => client.references.list.query({ limit: 100 }));
  times(lanes.bigValues, () =>
    client.queries.run.mutate({ id: bigQueryId, parameterValues: { big: bigValue } }),
  );
  let turn = 0;
  times(lanes.triggers, () =>
    client.automations.trigger.mutate({ id: automationIds[turn++ % automationIds.length] ?? "" }),
  );
  times(lanes.tests, () =>
    asPerson(
      "databases.testConnection",
      {
        engine: "postgres",
        settings: { host: "127.0.0.1", port: silentPort, database: "none", user: "nobody", tls: "off" },
        credentials: { password: "none" },
      },
      signal,
    ),
  );
  process.send?.("flooding");
}

process.on("message", (message) => void flood(FloodOrder.parse(message)));
process.on("disconnect", () => process.exit());
process.send?.("ready");
