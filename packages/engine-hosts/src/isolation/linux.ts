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
  fcntl: library.func("int fcntl(int fd, int command, int64 value)"),
  setrlimit: library.func("int setrlimit(int resource, void *limit)"),
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

/** Lets a descriptor live through `execute`. */
export const inherit = (descriptor: number): void =>
  void checked(`inherit ${descriptor}`, libc.fcntl(descriptor, setDescriptorFlags, 0));
const setDescriptorFlags = 2;

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
