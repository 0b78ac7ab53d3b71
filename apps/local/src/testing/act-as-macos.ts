// Preloaded by a test: lets our code find what it would find on macOS. Packages with parts for each system, such as
// DuckDB, still get those of this machine, and so do engine hosts, which have their own environment.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

Object.defineProperty(process, "platform", {
  get: () => (new Error().stack?.includes("/node_modules/") ? "linux" : "darwin"),
});

const missing = (path: unknown): void => {
  if (typeof path !== "string" || !path.startsWith("/proc")) return;
  throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
};

for (const name of ["readFileSync", "readdirSync", "statSync", "writeFileSync", "readlinkSync"] as const) {
  const original: (...args: never[]) => unknown = fs[name];
  Object.assign(fs, {
    [name]: (...args: never[]) => {
      missing(args[0]);
      return original(...args);
    },
  });
}
syncBuiltinESMExports();
