import { inject } from "vitest";
import { z } from "zod";
import { parseControl } from "./start-control.ts";

const control = parseControl(inject("trinoControl"));

/** Whether there is a cluster; otherwise its tests are counted as skipped. */
export const hasTrino = control.missing === undefined;
/** Whether its worker can be killed, and whether it has TLS and credentials that are known here. */
export const ownsTrino = hasTrino && !control.isGiven;

const Cluster = z.object({
  url: z.string(),
  /** Of a cluster that the tests have started. */
  httpsUrl: z.string().default(""),
  secrets: z
    .object({ certificateAuthority: z.string(), password: z.string(), tokenSecret: z.string() })
    .optional(),
});
export type Cluster = z.infer<typeof Cluster>;

/** Fetching the server and starting it can take this long. */
export const clusterStartMs = 900_000;

const ask = async (path: string): Promise<Cluster> => {
  const response = await fetch(`${control.control}${path}`, {
    method: "POST",
    signal: AbortSignal.timeout(clusterStartMs),
  });
  if (!response.ok) throw new Error(await response.text());
  return Cluster.parse(await response.json());
};

/** Starts the cluster if no test has before. */
export const startCluster = (): Promise<Cluster> => ask("/start");
export const killTrinoWorker = (): Promise<Cluster> => ask("/worker/kill");
export const startTrinoWorker = (): Promise<Cluster> => ask("/worker/start");
