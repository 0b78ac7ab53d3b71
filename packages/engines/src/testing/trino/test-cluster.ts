import { inject } from "vitest";
import { z } from "zod";
import { parseTrinoControl, startTrinoControl } from "./control.ts";

export { queryTrino } from "./query-trino.ts";

const control = parseTrinoControl(inject("trinoControl"));

/** Whether there is a cluster. If not, its tests are counted as skipped. */
export const hasTrino = control.missing === undefined;
/** Whether the tests started the cluster: they know its TLS certificate and credentials, and can start others. */
export const ownsTrino = hasTrino && !control.isExternal;

const Cluster = z.object({
  url: z.string(),
  /** Only of a cluster that the tests have started. */
  httpsUrl: z.string().default(""),
  secrets: z
    .object({ certificateAuthority: z.string(), password: z.string(), tokenSecret: z.string() })
    .optional(),
});
export type Cluster = z.infer<typeof Cluster>;

/** Downloading and starting the server can take this long. */
export const clusterStartMs = 900_000;

const ask = async (path: string, { url } = control): Promise<Cluster> => {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    signal: AbortSignal.timeout(clusterStartMs),
  });
  if (!response.ok) throw new Error(await response.text());
  return Cluster.parse(await response.json());
};

/** Starts the cluster if it is not started yet. */
export const startCluster = (): Promise<Cluster> => ask("/start");

/** Starts another cluster, with a worker that a test can kill while others use the first one. */
export async function startOwnCluster() {
  const own = await startTrinoControl();
  return {
    cluster: await ask("/worker/start", own),
    killWorker: () => ask("/worker/kill", own),
    stop: own.stop,
  };
}
