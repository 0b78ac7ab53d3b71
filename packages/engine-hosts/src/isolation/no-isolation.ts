import { channelEnvironment } from "../channel/descriptors.ts";
import type { Isolation } from "./isolation.ts";

/** An ordinary child process without the environment of its parent: a vulnerability of an engine is one of the service. */
export const noIsolation: Isolation = {
  name: "none",
  title: `none${process.platform === "linux" ? "" : `, because its methods need Linux and this is ${process.platform}`}: a vulnerability in an engine would expose everything that this process can access`,
  command: ({ node: [program = process.execPath, ...args] }) => ({
    program,
    args,
    environment: channelEnvironment,
  }),
};
