import { createKey } from "@querybell/core/keys";
import { createQuery } from "@querybell/core/queries";
import type { Caller } from "@querybell/domain";
import { Pool } from "undici";
import { z } from "zod";
import { createApiLoad } from "../automations/api-load.ts";
import type { Installation } from "../webhooks/installation.ts";

const Started = z.object({ id: z.string() });

export interface OurRuns {
  createQuery(databaseId: string, sql: string): Promise<string>;
  /** Calls `queries.run`, and watches the run until it has completed. Returns its id. */
  run(queryId: string): Promise<string>;
  close(): Promise<void>;
}

interface Target {
  installation: Installation;
  owner: Caller;
  url: string;
  callers: number;
}

/** Runs queries as a program does that calls the api with a key. */
export async function openOurRuns({ installation, owner, url, callers }: Target): Promise<OurRuns> {
  const { deps } = installation;
  const { key } = await createKey(deps, owner, { name: "Bench", scopes: ["queries:read", "queries:run"] });
  const load = createApiLoad(url, key, callers);
  const watching = new Pool(url, { connections: callers, pipelining: 1 });
  return {
    async createQuery(analyticalDatabaseConfigId, sql) {
      return (await createQuery(deps, owner, { sql, analyticalDatabaseConfigId })).id;
    },
    async run(queryId) {
      const { id } = Started.parse(await load.call("queries.run", { id: queryId }));
      await watchUntilCompleted(watching, key, id);
      return id;
    },
    async close() {
      await Promise.all([load.close(), watching.close()]);
    },
  };
}

async function watchUntilCompleted(pool: Pool, key: string, id: string): Promise<void> {
  const { statusCode, body } = await pool.request({
    method: "GET",
    path: `/api/trpc/runs.watch?input=${encodeURIComponent(JSON.stringify({ id }))}`,
    headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
  });
  let text = "";
  for await (const chunk of body) text += chunk;
  // The subscription ends with the run.
  if (statusCode !== 200 || !text.includes('"status":"completed"')) {
    throw new Error(`The run did not complete: ${statusCode} ${text.slice(-2000)}`);
  }
}
