// Prints the path of a working Caddy, the proxy of the compose file, for the walk through the image.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "caddy",
  installedAs: ["caddy"],
  path: "usr/bin/caddy",
  megabytes: 15,
  versionArgument: "version",
});
console.log(path);
