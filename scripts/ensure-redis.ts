// Prints the path of a working Redis server, for the tests of the receiver kit's store.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "redis-server",
  installedAs: ["redis-server"],
  path: "usr/bin/redis-server",
  megabytes: 2,
});
console.log(path);
