// Prints the path of a working curl, for the test that runs the command shown on the page of API keys.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "curl",
  installedAs: ["curl"],
  path: "usr/bin/curl",
  megabytes: 2,
});
console.log(path);
