// A process that a test kills: it has an idle host and one that executes the run in its second argument.
import { createEngineHosts, type RunRequest } from "../index.ts";
import { resolveAnyHost } from "./resolve-any-host.ts";

const [, , dataFolder = "", argument = "{}"] = process.argv;
const request: RunRequest = JSON.parse(argument);
const hosts = createEngineHosts({ size: 2, resolveHost: resolveAnyHost, dataFolder });
const { organizationId, database } = request;
const short: RunRequest = { organizationId, database, statement: { text: "SELECT 1", values: [] } };
await Promise.all([hosts.run(short), hosts.run(short)]);
void hosts.run(request, { onProgress: () => process.send?.("started") });
