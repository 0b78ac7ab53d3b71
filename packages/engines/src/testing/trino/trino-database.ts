import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import type { Database } from "../../engines.ts";
import type { TrinoConfiguration } from "../../trino/trino-engine.ts";
import { queryTrino } from "./query-trino.ts";
import { type Cluster, clusterStartMs, startCluster } from "./test-cluster.ts";

/** A schema for this test file, in the catalog `memory`. */
export const trinoSchema = `engines_${randomBytes(8).toString("hex")}`;

let cluster: Cluster | undefined;

/** Call this in a `describe` whose tests run on Trino. */
export function useTrino(): void {
  beforeAll(async () => {
    cluster = await startCluster();
    await runInTrino(`CREATE SCHEMA IF NOT EXISTS memory.${trinoSchema}`);
  }, clusterStartMs);
  afterAll(() => runInTrino(`DROP SCHEMA IF EXISTS memory.${trinoSchema} CASCADE`));
}

export function runningCluster(): Cluster {
  if (!cluster) throw new Error("Trino is not started. Call useTrino in the describe around this test.");
  return cluster;
}

export function trinoDatabase(
  change: Partial<TrinoConfiguration> = {},
  cluster: Pick<Cluster, "url"> = runningCluster(),
): Database {
  const url = new URL(cluster.url);
  return {
    engine: "trino",
    configuration: {
      host: url.hostname,
      port: Number(url.port || 80),
      catalog: "memory",
      schema: trinoSchema,
      user: decodeURIComponent(url.username) || "querybell",
      tls: "off",
      credentials: { kind: "none" },
      ...change,
    },
  };
}

/** Runs a statement as the administrator of the cluster. */
export async function runInTrino(sql: string): Promise<unknown[][]> {
  const rows = await queryTrino(runningCluster().url, sql);
  if (!rows) throw new Error(`Trino refused: ${sql}`);
  return rows;
}
