import type { Isolation } from "./isolation.ts";
import { hostCommand } from "./program-files.ts";

const [program = process.execPath, ...args] = hostCommand;

/** An ordinary child process with an empty environment: a hole in an engine is a hole in the service. */
export const noIsolation: Isolation = {
  name: "none",
  title: "none: a hole in an engine would reach everything that this process can reach",
  command: () => ({ program, args }),
};
