import { type ComputingHosts, createComputingHosts } from "./computing-hosts.ts";
import { createDatabaseHosts, type DatabaseHosts, type DatabaseHostsOptions } from "./database-hosts.ts";
import type { HostExit } from "./engine-host.ts";
import { findCompileCache } from "./host-program.ts";
import { Hosts, type HostsOptions } from "./hosts.ts";
import { findIsolation } from "./isolation/find-isolation.ts";
import type { Isolation } from "./isolation/isolation.ts";
import { createDrawingHosts, type DrawingHosts } from "./pictures/drawing-hosts.ts";
import { createUploadHosts, type UploadHosts } from "./uploads/upload-hosts.ts";

export interface EngineHostsOptions
  extends DatabaseHostsOptions,
    Pick<HostsOptions, "idleMs" | "idleBytes" | "keepsSpareHost"> {
  /** The isolation method of hosts. Default: the strongest that works on this machine. */
  isolation?: Isolation | undefined;
  /** How long an engine may take to confirm that it stopped a query before its process is killed. Default: 1.5 s. */
  graceMs?: number;
  /** Called for every host that ended without `close`. */
  onUnexpectedExit?: (exit: HostExit) => void;
}

export interface EngineHosts
  extends Omit<DatabaseHosts, "close">,
    Omit<ComputingHosts, "close">,
    Omit<DrawingHosts, "close">,
    Omit<UploadHosts, "close"> {
  /** The isolation method of the hosts. */
  isolation(): Promise<Isolation>;
  /** Stops all hosts. Runs in progress fail. */
  close(): Promise<void>;
}

export function createEngineHosts(options: EngineHostsOptions): EngineHosts {
  const { size, keepsSpareHost, idleMs, idleBytes, dataFolder } = options;
  const { graceMs = 1_500, onUnexpectedExit = () => {} } = options;
  const isolation = async () => {
    await findCompileCache();
    return options.isolation ?? (await findIsolation({ setting: "auto", dataFolder }));
  };
  const hosts = new Hosts({
    isolation,
    graceMs,
    leastHosts: 2 * size,
    idleMs,
    idleBytes,
    keepsSpareHost,
    onUnexpectedExit,
  });
  const databases = createDatabaseHosts(hosts, options);
  const computing = createComputingHosts(hosts);
  const drawing = createDrawingHosts(hosts);
  const uploads = createUploadHosts(hosts);
  return {
    ...databases,
    ...computing,
    ...drawing,
    ...uploads,
    isolation,
    async close() {
      for (const each of [databases, computing, drawing, uploads]) each.close();
      await hosts.close();
    },
  };
}
