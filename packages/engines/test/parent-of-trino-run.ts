import { createEngineHosts } from "../src/index.ts";

// A worker to be killed while it runs the query that it is given.
const [, , dataFolder = "", request = "{}"] = process.argv;
const hosts = createEngineHosts({ size: 1, dataFolder });
void hosts.run(JSON.parse(request));
