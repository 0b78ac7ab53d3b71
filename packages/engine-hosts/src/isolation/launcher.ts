import { availableParallelism, constants, totalmem } from "node:os";
import {
  channelEnvironment,
  linkToCompileCache,
  maxOpenFiles,
  messageDescriptor,
  socketDescriptor,
} from "./isolation.ts";
import { allowOnly } from "./landlock-rules.ts";
import { becomeUser, execute, inherit, installSeccompFilter, limitResource, prctl } from "./linux.ts";
import type { LaunchPlan } from "./methods.ts";
import { enterPrivateRoot, mountAsOwnedBy } from "./private-root.ts";
import { createSeccompFilter, isSupportedProcessor } from "./seccomp-filter.ts";

/**
 * Restricts its own process and then executes the engine host, which inherits the restrictions and keeps the process
 * id. It must not read from the channels to its parent.
 */
const plan: LaunchPlan = JSON.parse(process.argv[2] ?? "");
const [dropFromBoundingSet, setParentDeathSignal, setNoNewPrivileges] = [24, 1, 38];
const lastCapability = 63;
const [coreFileSize, processCount, openFiles] = [4, 6, 7];
// Enough for the threads of Node and of the engine.
const maxThreadsOfOwnUser = 256;
// The user of the host in a user namespace.
const rootId = 0;
const hostDescriptors = [0, 1, 2, messageDescriptor, socketDescriptor];

let compileCacheFolder = process.env.NODE_COMPILE_CACHE;

switch (plan.method) {
  case "user": {
    const { userId = 0 } = plan;
    const link = linkToCompileCache(plan.compileCache, userId);
    compileCacheFolder = link?.folder;
    enterPrivateRoot({
      paths: [...plan.programFiles],
      placed: [...plan.databaseFiles],
      place: (source, target) => mountAsOwnedBy(userId, source, target),
      workspace: plan.workspace,
      link,
    });
    dropCapabilities();
    limitResource(processCount, maxThreadsOfOwnUser);
    becomeUser(userId);
    break;
  }
  case "namespace": {
    const link = linkToCompileCache(plan.compileCache, rootId);
    compileCacheFolder = link?.folder;
    enterPrivateRoot({
      paths: [...plan.programFiles, ...plan.databaseFiles],
      placed: [],
      workspace: plan.workspace,
      link,
    });
    dropCapabilities();
    break;
  }
  case "landlock":
    // Root would keep its capabilities. Other users have none to drop.
    dropCapabilities();
    break;
}
// A change of user clears this setting, so it is set afterwards.
prctl("end with the parent", setParentDeathSignal, constants.signals.SIGKILL);
limitResource(coreFileSize, 0);
limitResource(openFiles, maxOpenFiles);
prctl("no new privileges", setNoNewPrivileges, 1);
if (plan.method === "landlock") {
  allowOnly([...plan.programFiles, ...plan.databaseFiles, "/dev/null"], plan.workspace);
}
if (!isSupportedProcessor(process.arch)) throw new Error(`There is no seccomp filter for ${process.arch}.`);
const filter = createSeccompFilter(process.arch, process.pid);
for (const descriptor of hostDescriptors) inherit(descriptor);
installSeccompFilter(filter);
const [program = process.execPath, ...args] = plan.node;
execute(program, args, {
  OPENSSL_CONF: "/dev/null",
  ...channelEnvironment,
  ...(compileCacheFolder !== undefined && { NODE_COMPILE_CACHE: compileCacheFolder }),
  ...(plan.method === "landlock" && machineSize()),
});

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
