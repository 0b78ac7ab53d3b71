// Prints the path of a curl that runs: the test of API keys runs the command that the page shows.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "curl",
  installedAs: ["curl"],
  path: "usr/bin/curl",
  megabytes: 2,
});
console.log(path);
