// Prints the path of a bubblewrap that runs, for the tests of how engine hosts are kept apart.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "bubblewrap",
  installedAs: ["bwrap"],
  path: "usr/bin/bwrap",
  megabytes: 1,
});
console.log(path);
