import { constants } from "node:os";
import koffi from "koffi";

/**
 * Linux calls that Node does not offer, for the launcher only. They act on the calling thread, which executes the
 * host.
 */
const library = koffi.load(null);
const fprog = koffi.struct({ len: "uint16", filter: "void *" });
const syscall = library.func("int64 syscall(int64 number, ...)");
const prctlNumber = library.func("int prctl(int option, uint64 a, uint64 b, uint64 c, uint64 d)");
const prctlFilter = library.func("prctl", "int", ["int", "uint64", koffi.pointer(fprog), "uint64", "uint64"]);
const libc = {
  mount: library.func(
    "int mount(const char *source, const char *target, const char *type, uint64 flags, const char *data)",
  ),
  umount2: library.func("int umount2(const char *target, int flags)"),
  chdir: library.func("int chdir(const char *path)"),
  fcntl: library.func("int fcntl(int fd, int command, int64 value)"),
  setgroups: library.func("int setgroups(uint64 count, void *groups)"),
  setresgid: library.func("int setresgid(uint32 real, uint32 effective, uint32 saved)"),
  setresuid: library.func("int setresuid(uint32 real, uint32 effective, uint32 saved)"),
  setrlimit: library.func("int setrlimit(int resource, void *limit)"),
  waitpid: library.func("int waitpid(int pid, void *status, int options)"),
  execve: library.func("int execve(const char *path, const char **arguments, const char **environment)"),
};

type CallArgument = number | string | Uint8Array | null;

const errorNames = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

/** Throws when the call failed, naming it. */
function checked(what: string, result: number | bigint): number {
  if (Number(result) >= 0) return Number(result);
  const number = koffi.errno();
  throw new Error(`${what}: ${errorNames.get(number) ?? `error ${number}`}`);
}

/** A call by its number, for those that the C library may not have. */
export function call(what: string, number: number, ...values: CallArgument[]): number {
  const typed = values.flatMap((value): CallArgument[] =>
    typeof value === "number" ? ["int64", value] : [typeof value === "string" ? "str" : "void *", value],
  );
  return checked(what, syscall(number, ...typed));
}

export const prctl = (what: string, option: number, value = 0): number =>
  checked(what, prctlNumber(option, value, 0, 0, 0));

export function installSeccompFilter(filter: Uint8Array): void {
  const [setSeccomp, filterMode] = [22, 2];
  const program = { len: filter.length / 8, filter };
  checked("seccomp", prctlFilter(setSeccomp, filterMode, program, 0, 0));
}

interface Mount {
  source: string;
  target: string;
  type?: string;
  flags?: number;
  data?: string;
}

export const mount = ({ source, target, type = "", flags = 0, data = "" }: Mount): void =>
  void checked(`mount ${target}`, libc.mount(source, target, type, flags, data));

export const detach = (target: string): void =>
  void checked(`umount ${target}`, libc.umount2(target, detachFlag));
const detachFlag = 2;

/** Not `process.chdir`, which would look the path up again. */
export const chdir = (path: string): void => void checked(`chdir ${path}`, libc.chdir(path));

/** Lets a descriptor live through `execute`. */
export const inherit = (descriptor: number): void =>
  void checked(`inherit ${descriptor}`, libc.fcntl(descriptor, setDescriptorFlags, 0));
const setDescriptorFlags = 2;

/** Sets the whole identity: user, group, and no other groups. */
export function becomeUser(id: number): void {
  checked("setgroups", libc.setgroups(0, null));
  checked("setresgid", libc.setresgid(id, id, id));
  checked("setresuid", libc.setresuid(id, id, id));
}

/** Waits until a child has ended, and removes what is left of it. */
export const reap = (pid: number): void => void checked("waitpid", libc.waitpid(pid, null, 0));

export function limitResource(resource: number, most: number): void {
  const limit = Buffer.alloc(16);
  limit.writeBigUInt64LE(BigInt(most), 0);
  limit.writeBigUInt64LE(BigInt(most), 8);
  checked("setrlimit", libc.setrlimit(resource, limit));
}

/** Replaces this process, which keeps its id; returns only by throwing. */
export function execute(program: string, args: string[], environment: Record<string, string>): never {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  checked("execve", libc.execve(program, [program, ...args, null], [...variables, null]));
  throw new Error("execve returned.");
}
