import type { HostCommand, Isolation } from "../isolation/isolation.ts";
import { noIsolation } from "../isolation/methods.ts";

/** Starts another program as the host. */
export const startingInstead = (command: Partial<HostCommand> & Pick<HostCommand, "program">): Isolation => ({
  ...noIsolation,
  command: (program) => ({ ...noIsolation.command(program), args: [], ...command }),
});
