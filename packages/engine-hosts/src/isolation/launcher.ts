import { availableParallelism, constants, totalmem } from "node:os";
import { channelEnvironment, maxOpenFiles, messageDescriptor, socketDescriptor } from "./isolation.ts";
import { allowOnly } from "./landlock-rules.ts";
import { execute, inherit, installSeccompFilter, limitResource, prctl } from "./linux.ts";
import type { LaunchPlan } from "./methods.ts";
import { createSeccompFilter, isSupportedProcessor } from "./seccomp-filter.ts";

const [dropFromBoundingSet, setParentDeathSignal, setNoNewPrivileges] = [24, 1, 38];
const lastCapability = 63;
const [coreFileSize, openFiles] = [4, 7];
const hostDescriptors = [0, 1, 2, messageDescriptor, socketDescriptor];

/**
 * Restricts its own process and then executes the engine host, which inherits the restrictions and keeps the process
 * id. It must not read from the channels to its parent.
 */
function launch(plan: LaunchPlan): void {
  const compileCacheFolder = process.env.NODE_COMPILE_CACHE;

  // Root would keep its capabilities. Other users have none to drop.
  dropCapabilities();
  prctl("end with the parent", setParentDeathSignal, constants.signals.SIGKILL);
  limitResource(coreFileSize, 0);
  limitResource(openFiles, maxOpenFiles);
  prctl("no new privileges", setNoNewPrivileges, 1);
  allowOnly([...plan.programFiles, ...plan.databaseFiles, "/dev/null"], plan.workspace);
  if (!isSupportedProcessor(process.arch)) throw new Error(`There is no seccomp filter for ${process.arch}.`);
  const filter = createSeccompFilter(process.arch, process.pid);
  for (const descriptor of hostDescriptors) inherit(descriptor);
  installSeccompFilter(filter);
  const [program = process.execPath, ...args] = plan.node;
  execute(program, args, {
    OPENSSL_CONF: "/dev/null",
    ...channelEnvironment,
    ...(compileCacheFolder !== undefined && { NODE_COMPILE_CACHE: compileCacheFolder }),
    ...machineSize(),
  });
}

/**
 * DuckDB reads the limits of its control group, and ends the process if the file exists and cannot be opened. It
 * reads these variables first. They have no other effect, because each database is opened with explicit limits.
 */
function machineSize(): Record<string, string> {
  return {
    SLURM_CPUS_ON_NODE: String(availableParallelism()),
    SLURM_MEM_PER_NODE: String(Math.floor(totalmem() / 1024 ** 2)),
  };
}

/** Drops all capabilities from the bounding set, so that no executed program can gain one. */
function dropCapabilities(): void {
  for (let capability = 0; capability <= lastCapability; capability++) {
    try {
      prctl("capability", dropFromBoundingSet, capability);
    } catch {
      return;
    }
  }
}

// fill-compile-cache.ts imports this file, too.
if (import.meta.main) launch(JSON.parse(process.argv[2] ?? ""));
