// Prints the path of a working Prometheus, for the check of the alert rules and the dashboard. Its promtool is beside it.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "prometheus",
  installedAs: ["prometheus"],
  path: "usr/bin/prometheus",
  megabytes: 25,
});
console.log(path);
