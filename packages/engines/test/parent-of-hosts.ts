import { createEngineHosts, type RunRequest } from "../src/index.ts";
import { resolveAnyHost } from "./resolve-any-host.ts";

// A worker to be killed: one host is idle and one is busy when it says that it is ready.
const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder: process.argv[2] ?? "" });
const run = (text: string): RunRequest => ({
  organizationId: "one",
  database: { engine: "duckdb", configuration: { file: "test.duckdb" } },
  statement: { text, values: [] },
});
await Promise.all([hosts.run(run("SELECT 1")), hosts.run(run("SELECT 1"))]);
void hosts.run(run("SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c"));
process.send?.("ready");
