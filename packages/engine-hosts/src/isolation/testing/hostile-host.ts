import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import koffi from "koffi";
import { encodeFrame } from "../../channel/channel.ts";
import { messageDescriptor } from "../isolation.ts";
import { conditionalCalls, refusedCalls } from "../system-calls.ts";

/**
 * A program that is started as an engine host and acts like hostile native code: it makes system calls directly.
 * Reports to its parent which attempts were possible.
 */
interface Target {
  pid: number;
  secretFiles: string[];
  folders: string[];
  database: string;
  tcpPort: number;
  unixSocket: string;
  abstractSocket: string;
  /** Attempts that would leave a mark on the machine if they were possible. */
  skipped: string[];
  /** The folder that it may write to, if any. */
  workspace?: string;
}

const target: Target = JSON.parse(process.argv[2] ?? "");
const syscall = koffi.load(null).func("int64 syscall(int64 number, ...)");
const column = process.arch === "x64" ? 0 : 1;

type Value = number | Buffer | null;
function call(name: string, ...values: Value[]): number {
  const numbers = { ...refusedCalls, ...conditionalCalls, ...others }[name];
  const typed = values.flatMap((value): unknown[] =>
    typeof value === "number" ? ["int64", value] : ["void *", value],
  );
  const result = Number(syscall(numbers?.[column] ?? -1, ...typed));
  if (result < 0) throw new Error(`${name}: errno ${koffi.errno()}`);
  return result;
}
const others: Record<string, readonly [number, number]> = {
  capget: [125, 90],
  recvfrom: [45, 207],
  pipe2: [293, 59],
};

const [tcp, udp] = [1, 2];
const families = { unix: 1, internet: 2, internet6: 10, netlink: 16, packet: 17, vsock: 40 };
const text = (value: string) => Buffer.from(`${value}\0`);

function internetAddress(port: number): Buffer {
  const address = Buffer.alloc(16);
  address.writeUInt16LE(families.internet, 0);
  address.writeUInt16BE(port, 2);
  address.set([127, 0, 0, 1], 4);
  return address;
}

function unixAddress(path: string, isAbstract: boolean): Buffer {
  const family = Buffer.from([families.unix, 0]);
  return Buffer.concat([family, Buffer.from(isAbstract ? `\0${path}` : `${path}\0`)]);
}

function connect(family: number, address: Buffer): void {
  call("connect", call("socket", family, tcp, 0), address, address.length);
}

const secretOfParent = () => {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readFileSync(`/proc/${name}/environ`, "utf8").includes("HOSTILE_TEST_SECRET")) return;
    } catch {}
  }
  throw new Error("No process shows it.");
};

/** Makes the kernel send a signal to the parent when the channel can be read. */
function signalByOwner(): void {
  const [setOwner, setSignal] = [8, 10];
  call("fcntl", 3, setOwner, target.pid);
  call("fcntl", 3, setSignal, 9);
}

function gainedCapabilities(): void {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x20080522, 0);
  const data = Buffer.alloc(24);
  call("capget", header, data);
  if (data.every((byte) => byte === 0)) throw new Error("none");
}

function readMemory(): void {
  const buffer = Buffer.alloc(16);
  const local = Buffer.alloc(16);
  local.writeBigUInt64LE(koffi.address(buffer), 0);
  local.writeBigUInt64LE(16n, 8);
  const remote = Buffer.alloc(16);
  // Node for Linux is not position-independent: its first page is always here.
  remote.writeBigUInt64LE(0x400000n, 0);
  remote.writeBigUInt64LE(16n, 8);
  call("process_vm_readv", target.pid, local, 1, remote, 1, 0);
}

function makePipe(): { reading: number; writing: number } {
  const descriptors = Buffer.alloc(8);
  call("pipe2", descriptors, 0);
  return { reading: descriptors.readInt32LE(0), writing: descriptors.readInt32LE(4) };
}

function spliceMemory(): void {
  const page = Buffer.alloc(4096);
  const vector = Buffer.alloc(16);
  vector.writeBigUInt64LE(koffi.address(page), 0);
  vector.writeBigUInt64LE(4096n, 8);
  call("vmsplice", makePipe().writing, vector, 1, 0);
}

/** Duplicates what is in one pipe into another. */
function teePipe(): void {
  const full = makePipe();
  writeFileSync(full.writing, "x");
  call("tee", full.reading, makePipe().writing, 1, 0);
}

const [readWrite, shared, anonymousPrivate, anonymousShared, hugePages] = [3, 1, 0x22, 0x21, 0x40000];
const map = (flags: number, descriptor = -1, protection = readWrite) =>
  call("mmap", 0, 2 * 1024 ** 2, protection, flags, descriptor, 0);
const openDatabase = () => openSync(target.database, "r");

/** A lock on the first byte, for reading. */
const lock = Buffer.alloc(32);
lock.writeBigInt64LE(1n, 16);

function openManyFiles(): void {
  const opened: number[] = [];
  try {
    while (opened.length < 1000) opened.push(openDatabase());
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** Everything that makes the kernel hold memory which is not mapped into the process. */
const stores: Record<string, () => unknown> = {
  "keep memory in a file without a name": () => call("memfd_create", text("x"), 0),
  "keep memory in a secret file without a name": () => call("memfd_secret", 0),
  "map memory that stays when it is dropped": () => map(anonymousShared),
  "map a file that others see": () => map(shared, openDatabase(), 1),
  "map huge pages": () => map(anonymousPrivate | hugePages),
  "put pages into a pipe": spliceMemory,
  "put pages of a file into a pipe": () =>
    call("splice", openDatabase(), null, makePipe().writing, null, 1, 0),
  "send a file into a pipe": () => call("sendfile", makePipe().writing, openDatabase(), null, 1),
  "duplicate the pages of a pipe": teePipe,
  "enlarge a pipe": () => call("fcntl", makePipe().writing, 1031, 1024 ** 2),
  "write into /dev/shm": () => writeFileSync("/dev/shm/querybell-hostile", "x"),
  "open a terminal": () => openSync("/dev/ptmx", "r+"),
  "map /dev/zero": () => openSync("/dev/zero", "r+"),
  "make semaphores": () => call("semget", 0, 1, 0o1600),
  "make a message queue": () => call("msgget", 0, 0o1600),
  "make a message queue with a name": () => call("mq_open", text("querybell-hostile"), 0o102, 0o600, null),
  "keep a key": () => call("add_key", text("user"), text("x"), text("x"), 1, -2),
  "reserve slots for futexes": () => call("prctl", 78, 1, 4096, 0, 0),
  "add a filter": () => call("seccomp", 3, 0, Buffer.alloc(8)),
  "make rules of Landlock": () => call("landlock_create_ruleset", null, 0, 1),
  "make a timer": () => call("timer_create", 1, null, Buffer.alloc(8)),
  "read and write asynchronously": () => call("io_setup", 1, Buffer.alloc(8)),
  "handle page faults": () => call("userfaultfd", 1),
  "count events": () => call("perf_event_open", perfEvent(), 0, -1, -1, 0),
  "have descriptors that only one thread sees": () => call("close_range", 1_000_000, 1_000_001, 2),
  "lock a file for a descriptor": () => call("fcntl", openDatabase(), 37, lock),
  "wait for a lock": () => call("fcntl", openDatabase(), 7, lock),
  "open a thousand files": openManyFiles,
};

function perfEvent(): Buffer {
  const attributes = Buffer.alloc(64);
  // A software event (1) of this size that excludes the kernel.
  attributes.writeUInt32LE(1, 0);
  attributes.writeUInt32LE(64, 4);
  attributes.writeBigUInt64LE(0x60n, 40);
  return attributes;
}

const attempts: Record<string, () => unknown> = {
  ...stores,
  "find the parent's secret in /proc": secretOfParent,
  "read the parent's environment": () => readFileSync(`/proc/${target.pid}/environ`),
  "read the parent's open files": () => readlinkSync(`/proc/${target.pid}/fd/0`),
  "read the parent's memory by its file": () => readFileSync(`/proc/${target.pid}/maps`),
  "read the parent's memory": readMemory,
  "read /etc/passwd": () => readFileSync("/etc/passwd"),
  "write the database": () => writeFileSync(target.database, "x", { flag: "r+" }),
  "write into /tmp": () => writeFileSync("/tmp/querybell-hostile", "x"),
  "write into its own folder": () => writeFileSync(new URL("./hostile.txt", import.meta.url), "x"),
  "change a file's mode": () => call("fchmodat", -100, text(target.database), 0o644, 0),
  "truncate a file": () => call("truncate", text(target.secretFiles[0] ?? ""), 0),
  "watch a file": () => call("inotify_add_watch", call("inotify_init1", 0), text(target.database), 0xfff),
  "open a TCP connection": () => connect(families.internet, internetAddress(target.tcpPort)),
  "open a Unix socket": () => connect(families.unix, unixAddress(target.unixSocket, false)),
  "open an abstract socket": () => connect(families.unix, unixAddress(target.abstractSocket, true)),
  "send UDP": () =>
    call(
      "sendto",
      call("socket", families.internet, udp, 0),
      text("x"),
      1,
      0,
      internetAddress(target.tcpPort),
      16,
    ),
  "make an IPv6 socket": () => call("socket", families.internet6, tcp, 0),
  "make a netlink socket": () => call("socket", families.netlink, 3, 0),
  "make a pair of sockets": () => call("socketpair", families.unix, tcp, 0, Buffer.alloc(8)),
  "leave its session": () => call("setsid"),
  "signal the parent": () => call("kill", target.pid, 0),
  "signal every process": () => call("kill", -1, 0),
  "signal its process group": () => call("kill", 0, 0),
  "signal a thread of the parent": () => call("tgkill", target.pid, target.pid, 0),
  "queue a signal": () => call("rt_sigqueueinfo", target.pid, 0, Buffer.alloc(128)),
  "signal through the owner of a descriptor": signalByOwner,
  "open the parent as a descriptor": () => call("pidfd_open", target.pid, 0),
  "trace the parent": () => call("ptrace", 0x4206, target.pid, 0, 0),
  "limit the parent": () => call("prlimit64", target.pid, 7, null, Buffer.alloc(16)),
  "become root": () => call("setresuid", 0, 0, 0),
  "become another user": () => call("setresuid", 12345, 12345, 12345),
  "hold a capability": gainedCapabilities,
  "make a user namespace": () => call("unshare", 0x10000000),
  "mount something": () => call("mount", text("none"), text("/tmp"), text("tmpfs"), 0, null),
  "change its root": () => call("chroot", text("/")),
  "share memory": () => call("shmget", 0, 4096, 0o1600),
  "use the keyring": () => call("keyctl", 0, -3, 0),
  "use io_uring": () => call("io_uring_setup", 1, Buffer.alloc(120)),
  "load a BPF program": () => call("bpf", 0, Buffer.alloc(120), 120),
};
const { workspace } = target;
if (workspace) {
  attempts["write into the workspace"] = () => writeFileSync(join(workspace, "written"), "x");
  attempts["make a folder in the workspace"] = () => mkdirSync(join(workspace, "folder"));
}
for (const file of target.secretFiles) attempts[`read ${file}`] = () => readFileSync(file);
for (const folder of target.folders) attempts[`list ${folder}`] = () => listOthers(folder);

/** Throws if the folder contains only what leads to the program, the database or the workspace. */
function listOthers(folder: string): void {
  const known = [target.database, process.execPath, import.meta.filename, target.workspace ?? ""];
  const others = readdirSync(folder).filter(
    (name) => !known.some((path) => isOnTheWay(join(folder, name), path)),
  );
  if (others.length === 0) throw new Error("nothing else");
}

const isOnTheWay = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

const possible: string[] = [];
for (const [what, attempt] of Object.entries(attempts)) {
  if (target.skipped.includes(what)) continue;
  try {
    attempt();
    possible.push(what);
  } catch {}
}
/** Shows that this runs as a host: it can read its database, and send messages to its parent. */
const seen = readFileSync(target.database).length;
const outcome = { possible, tried: Object.keys(attempts).length, seen };
writeSync(messageDescriptor, encodeFrame(JSON.stringify(outcome)));
process.on("message", () => {});
