import { availableParallelism, constants, totalmem } from "node:os";
import { allowOnly } from "./landlock-rules.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import { becomeUser, execute, inherit, installSeccompFilter, limitResource, prctl } from "./linux.ts";
import { mountAsOwnedBy } from "./owner-mapping.ts";
import { enterPrivateRoot } from "./private-root.ts";
import { createSeccompFilter, isSupportedProcessor } from "./seccomp-filter.ts";

/**
 * Restricts itself and then becomes the engine host, under the same process id: what holds for a process holds
 * for the program that it executes. It must not read from the channel to its parent, who sends nothing before
 * the host is ready.
 */
const plan: LaunchPlan = JSON.parse(process.argv[2] ?? "");
const [dropFromBoundingSet, setParentDeathSignal, setNoNewPrivileges] = [24, 1, 38];
const lastCapability = 63;
const [coreFileSize, processCount] = [4, 6];
// Node's threads, the engine's, and room to spare.
const maxThreadsOfOwnUser = 256;
const standardDescriptors = [0, 1, 2];

const channel = Number(process.channel && "fd" in process.channel ? process.channel.fd : 3);

switch (plan.way) {
  case "user": {
    const { userId = 0 } = plan;
    enterPrivateRoot({
      paths: [...plan.programFiles],
      placed: [...plan.databaseFiles],
      place: (source, target) => mountAsOwnedBy(userId, source, target),
      workspace: plan.workspace,
    });
    dropCapabilities();
    limitResource(processCount, maxThreadsOfOwnUser);
    becomeUser(userId);
    break;
  }
  case "namespace":
    enterPrivateRoot({
      paths: [...plan.programFiles, ...plan.databaseFiles],
      placed: [],
      workspace: plan.workspace,
    });
    dropCapabilities();
    break;
  case "landlock":
    // Root would keep them. Whoever has none cannot drop any, and need not.
    dropCapabilities();
    break;
}
// A change of user clears it, so it comes after.
prctl("end with the parent", setParentDeathSignal, constants.signals.SIGKILL);
limitResource(coreFileSize, 0);
prctl("no new privileges", setNoNewPrivileges, 1);
if (plan.way === "landlock") {
  allowOnly([...plan.programFiles, ...plan.databaseFiles, "/dev/null"], plan.workspace);
}
if (!isSupportedProcessor(process.arch)) throw new Error(`There is no filter for ${process.arch}.`);
const filter = createSeccompFilter(process.arch, process.pid);
for (const descriptor of [...standardDescriptors, channel]) inherit(descriptor);
installSeccompFilter(filter);
const [program = process.execPath, ...args] = plan.node;
execute(program, args, {
  OPENSSL_CONF: "/dev/null",
  NODE_CHANNEL_FD: String(channel),
  NODE_CHANNEL_SERIALIZATION_MODE: "advanced",
  ...(plan.way === "landlock" && machineSize()),
});

/**
 * DuckDB looks up its control group's limits, and ends the process if the file is there and cannot be opened.
 * It asks these variables first. They change nothing else: each database is opened with limits of its own.
 */
function machineSize(): Record<string, string> {
  return {
    SLURM_CPUS_ON_NODE: String(availableParallelism()),
    SLURM_MEM_PER_NODE: String(Math.floor(totalmem() / 1024 ** 2)),
  };
}

/** None can be held again, not even by a program that would bring one along. */
function dropCapabilities(): void {
  for (let capability = 0; capability <= lastCapability; capability++) {
    try {
      prctl("capability", dropFromBoundingSet, capability);
    } catch {
      return;
    }
  }
}
