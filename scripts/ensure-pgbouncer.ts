// Prints the path of a working PgBouncer, for `pnpm failover-test`.
import { ensureDebianProgram } from "./debian-program.ts";

const path = await ensureDebianProgram({
  name: "pgbouncer",
  installedAs: ["pgbouncer"],
  path: "usr/sbin/pgbouncer",
  megabytes: 1,
});
console.log(path);
