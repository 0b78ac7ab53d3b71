import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgramFiles } from "../host-program.ts";
import {
  channelEnvironment,
  firstInputDescriptor,
  type HostCommand,
  type HostProgram,
  type Isolation,
  maxOpenFiles,
} from "./isolation.ts";
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
  title: "bubblewrap: separate namespaces, no capabilities, a seccomp filter",
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

/** A symbolic link to a folder of the file system outside, and the folder that it is in. */
interface CompileCacheLink {
  folder: string;
  path: string;
  target: string;
}

/**
 * Where a host in bubblewrap finds the compile cache. Node puts the user id at the end of the folder's name, and the
 * host has another one than the process that filled the cache.
 */
function linkToCompileCache(compileCache: string | undefined, userId: number): CompileCacheLink | undefined {
  if (compileCache === undefined) return undefined;
  const name = basename(compileCache);
  const path = `/compile-cache/${name.slice(0, name.lastIndexOf("-") + 1)}${userId}`;
  return { folder: dirname(path), path, target: compileCache };
}

/** Needs no privileges, and works in containers. */
export const landlock: Isolation = {
  name: "landlock",
  title: "Landlock: rules on files, a seccomp filter, no new privileges",
  command: launch,
};

const launcher = fileURLToPath(new URL("./launcher.ts", import.meta.url));

/** What the launcher is told by its parent, as JSON in its first argument. */
export interface LaunchPlan extends HostProgram {
  programFiles: readonly string[];
}

/** The command that runs the launcher. */
function launch(program: HostProgram): HostCommand {
  const plan: LaunchPlan = { ...program, programFiles: findProgramFiles() };
  return { program: process.execPath, args: [launcher, JSON.stringify(plan)] };
}

/** An ordinary child process without its parent's environment. An exploit of an engine is one of the service. */
export const noIsolation: Isolation = {
  name: "none",
  title: `none${process.platform === "linux" ? "" : `, because its methods need Linux and this is ${process.platform}`}: a vulnerability in an engine would expose everything that this process can access`,
  command: ({ node: [program = process.execPath, ...args] }) => ({
    program,
    args,
    environment: channelEnvironment,
  }),
};
