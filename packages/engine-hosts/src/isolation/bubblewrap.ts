import { channelEnvironment, firstInputDescriptor } from "../channel/descriptors.ts";
import { linkToCompileCache } from "./compile-cache-link.ts";
import { type Isolation, maxOpenFiles } from "./isolation.ts";
import { findProgramFiles } from "./program-files.ts";
import { createSeccompFilter, isSupportedProcessor } from "./seccomp-filter.ts";

// The host is the first process of its PID namespace.
const pidInNamespace = 1;
const nobody = 65534;
const environment = Object.entries({ OPENSSL_CONF: "/dev/null", ...channelEnvironment }).flatMap(
  ([name, value]) => ["--setenv", name, value],
);

// bubblewrap itself sets no limits.
const withLimits = `ulimit -c 0 && ulimit -n ${maxOpenFiles} && exec "$0" "$@"`;

/** Namespaces for everything, a file system with only the program and the database, and the seccomp filter. */
export const bubblewrap = (program = "bwrap"): Isolation => ({
  name: "bubblewrap",
  title: "bubblewrap: namespaces of its own, no capabilities, a seccomp filter",
  command({ databaseFiles, workspace, node, compileCache }) {
    if (!isSupportedProcessor(process.arch))
      throw new Error(`There is no seccomp filter for ${process.arch}.`);
    const files = [...findProgramFiles(), ...databaseFiles].flatMap((path) => ["--ro-bind", path, path]);
    const writable = workspace === undefined ? [] : ["--bind", workspace, workspace];
    const cache = linkToCompileCache(compileCache, nobody);
    const args = [
      ...["--unshare-user", "--unshare-all", "--uid", String(nobody), "--gid", String(nobody)],
      ...["--cap-drop", "ALL", "--die-with-parent", "--as-pid-1"],
      ...["--dev-bind", "/dev/null", "/dev/null", ...files, ...writable],
      ...(cache ? ["--symlink", cache.target, cache.path] : []),
      ...["--remount-ro", "/", "--hostname", "engine", "--clearenv", ...environment],
      ...(cache ? ["--setenv", "NODE_COMPILE_CACHE", cache.folder] : []),
      ...["--seccomp", String(firstInputDescriptor), "--", ...node],
    ];
    return {
      program: "/bin/sh",
      args: ["-c", withLimits, program, ...args],
      inputs: [createSeccompFilter(process.arch, pidInNamespace)],
    };
  },
});
