// Prints the path of a working bubblewrap, for the tests of engine isolation.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "bubblewrap",
  installedAs: ["bwrap"],
  path: "usr/bin/bwrap",
  megabytes: 1,
});
console.log(path);
