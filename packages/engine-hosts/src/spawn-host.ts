import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { Duplex } from "node:stream";
import koffi from "koffi";
import { SocketChannel } from "./channel/socket-channel.ts";
import { type HostProgram, type Isolation, messageDescriptor } from "./isolation/isolation.ts";

// For the programs that launch the host. The host itself gets only what Node needs.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

interface SpawnedHost {
  child: ChildProcess;
  /** Carries messages, in frames. What comes from it is written by hostile code. */
  messages: Duplex;
  /** Takes sockets to the host. Nothing comes from it. */
  sockets: SocketChannel;
}

/** Starts a program as an engine host, with this isolation. */
export function spawnHost(isolation: Isolation, hostProgram: HostProgram): SpawnedHost {
  const { program, args, inputs = [], environment } = isolation.command(hostProgram);
  const { compileCache } = hostProgram;
  const sockets = new SocketChannel();
  keepDescriptorsFromChildren();
  const child = spawn(program, args, {
    env: {
      ...(isolation.name !== "none" && { PATH: systemPath }),
      ...(compileCache !== undefined && { NODE_COMPILE_CACHE: dirname(compileCache) }),
      ...environment,
    },
    cwd: "/",
    // In a separate process group, so that one signal ends all of it.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", sockets.hostEnd, ...inputs.map(() => "pipe" as const)],
  });
  sockets.closeHostEnd();
  for (const end of ["close", "error"]) child.once(end, () => sockets.close());
  // If a launching program dies early, the rest of the group would wait forever.
  child.once("exit", () => killHost(child));
  const [messages, , ...inputStreams] = streamsFrom(child, messageDescriptor);
  for (const [index, input] of inputs.entries()) {
    // A program that ends before it reads its input reports that by its exit.
    inputStreams[index]?.on("error", () => {});
    inputStreams[index]?.end(input);
  }
  return { child, messages: messages ?? unusedStream(), sockets };
}

/** The streams of a child from this descriptor on. A child that could not be started may have none. */
const streamsFrom = ({ stdio }: Partial<ChildProcess>, first: number): (Duplex | undefined)[] =>
  (stdio ?? []).slice(first).map((stream: unknown) => (stream instanceof Duplex ? stream : undefined));

const unusedStream = () => new Duplex({ read() {}, write: (_, __, done) => done() });

/** Kills the host and the programs that launched it. */
export function killHost({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // The group may have ended already.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

const firstAfterStandard = 3;
const last = 0xffffffff;
const closeRange = 436;
const markCloseOnExec = 4;
const [setFlags, closeOnExec] = [2, 1];

const library = koffi.load(null);
const syscall = library.func("int64 syscall(int64 number, ...)");
const fcntl = library.func("int fcntl(int fd, int command, ...)");

/**
 * Keeps the descriptors of this process from its children, except those that a child is given. Node opens all of its
 * own this way, but the service may itself have inherited others.
 */
function keepDescriptorsFromChildren(): void {
  // On macOS, Node starts children this way itself.
  if (process.platform !== "linux") return;
  const values = ["int64", firstAfterStandard, "int64", last, "int64", markCloseOnExec];
  if (Number(syscall(closeRange, ...values)) === 0) return;
  // Linux before 5.11.
  for (const name of readdirSync("/proc/self/fd")) {
    if (Number(name) >= firstAfterStandard) fcntl(Number(name), setFlags, "int", closeOnExec);
  }
}
