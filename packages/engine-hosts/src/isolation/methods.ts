import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { findProgramFiles } from "../host-program.ts";
import {
  channelEnvironment,
  firstInputDescriptor,
  type HostCommand,
  type HostProgram,
  type Isolation,
  linkToCompileCache,
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

// User ids that no ordinary user has.
const firstUserId = 0x70000000;
const userIds = 0x0f000000;

/** Needs root. Gives each host namespaces, and a user id that owns no files. */
export const ownUser: Isolation = {
  name: "user",
  title: "a separate user: namespaces, no capabilities, a seccomp filter",
  command(program) {
    const userId = firstUserId + randomInt(userIds);
    return launch({ ...program, method: "user", userId }, inNamespaces());
  },
};

/** Needs a system that lets ordinary users create namespaces. */
export const userNamespace: Isolation = {
  name: "namespace",
  title: "user namespaces: no capabilities, a seccomp filter",
  command: (program) =>
    launch({ ...program, method: "namespace" }, inNamespaces("--user", "--map-root-user")),
};

/** Needs no privileges, and works in containers. */
export const landlock: Isolation = {
  name: "landlock",
  title: "Landlock: rules on files, a seccomp filter, no new privileges",
  command: (program) => launch({ ...program, method: "landlock" }),
};

const launcher = fileURLToPath(new URL("./launcher.ts", import.meta.url));

/** What the launcher is told by its parent, as JSON in its first argument. */
export interface LaunchPlan extends HostProgram {
  method: "user" | "namespace" | "landlock";
  programFiles: readonly string[];
  /** The user that the host becomes, for the method "user". */
  userId?: number;
}

/** The command that runs the launcher, through the programs in `before`. */
function launch(plan: Omit<LaunchPlan, "programFiles">, before: readonly string[] = []): HostCommand {
  const whole: LaunchPlan = { ...plan, programFiles: findProgramFiles() };
  const [program = "", ...args] = [...before, process.execPath, launcher, JSON.stringify(whole)];
  return { program, args };
}

/** Creates namespaces, and ends when its parent ends. */
const inNamespaces = (...more: string[]): string[] => [
  ...["setpriv", "--pdeathsig", "KILL", "unshare", ...more],
  ...["--mount", "--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child=KILL"],
];

/**
 * An ordinary child process without its parent's environment. An exploit of an engine is one of the service.
 */
export const noIsolation: Isolation = {
  name: "none",
  title: `none${process.platform === "linux" ? "" : `, because its methods need Linux and this is ${process.platform}`}: a vulnerability in an engine would expose everything that this process can access`,
  command: ({ node: [program = process.execPath, ...args] }) => ({
    program,
    args,
    environment: channelEnvironment,
  }),
};
