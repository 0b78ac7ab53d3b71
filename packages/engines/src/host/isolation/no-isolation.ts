import type { Isolation } from "./isolation.ts";

/** An ordinary child process with an empty environment: a hole in an engine is a hole in the service. */
export const noIsolation: Isolation = {
  name: "none",
  title: "none: a hole in an engine would reach everything that this process can reach",
  command: ({ node: [program = process.execPath, ...args] }) => ({ program, args }),
};
