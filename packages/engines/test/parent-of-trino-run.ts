import { createEngineHosts } from "../src/index.ts";
import { resolveAnyHost } from "./resolve-any-host.ts";

// A worker to be killed while it runs the query that it is given.
const [, , dataFolder = "", request = "{}"] = process.argv;
const hosts = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder });
void hosts.run(JSON.parse(request));
