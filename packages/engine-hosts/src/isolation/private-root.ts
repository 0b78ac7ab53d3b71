import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { call, chdir, detach, mount, reap } from "./linux.ts";

// Any folder that always exists and that contains no programs.
const newRoot = "/sys";
const [bind, recursive] = [0x1000, 0x4000];
const [noSetUserId, noDevices] = [2, 4];

const mountSetAttributes = 442;
const atCurrentFolder = -100;
const applyRecursively = 0x8000;
const mountAttributes = { readOnly: 1, noSetUserId: 2, noDevices: 4, mapOwners: 0x100000 };

interface PrivateRoot {
  /** Files and folders that are visible at their own paths. */
  paths: string[];
  /** Mounts a file in another way than by a bind mount. */
  place?: (source: string, target: string) => void;
  /** The files that `place` mounts. */
  placed: string[];
  /** The one folder that can be written to, put there by `place` too. */
  workspace?: string | undefined;
  /** A symbolic link to one of the paths. */
  link?: { path: string; target: string } | undefined;
}

/** Changes to a root with only these paths, read-only except for the workspace. Needs a private mount namespace. */
export function enterPrivateRoot({ paths, placed, place = bindOnly, workspace, link }: PrivateRoot): void {
  mount({
    source: "tmpfs",
    target: newRoot,
    type: "tmpfs",
    flags: noSetUserId | noDevices,
    data: "size=1m,mode=755",
  });
  for (const path of paths) {
    prepareTarget(path);
    bindTo(path, newRoot + path);
  }
  for (const path of placed) {
    prepareTarget(path);
    place(path, newRoot + path);
    setAttributes(newRoot + path, mountAttributes.readOnly | mountAttributes.noSetUserId);
  }
  if (workspace !== undefined) {
    prepareTarget(workspace);
    place(workspace, newRoot + workspace);
    setAttributes(newRoot + workspace, mountAttributes.noSetUserId | mountAttributes.noDevices);
  }
  if (link) {
    mkdirSync(newRoot + dirname(link.path), { recursive: true });
    symlinkSync(link.target, newRoot + link.path);
  }
  // The new root allows no devices, except those that are bound one by one.
  prepareTarget("/dev/null");
  mount({ source: "/dev/null", target: `${newRoot}/dev/null`, flags: bind });
  setAttributes(newRoot, mountAttributes.readOnly);
  chdir(newRoot);
  call("pivot_root", process.arch === "x64" ? 155 : 41, ".", ".");
  detach(".");
  chdir("/");
}

function bindOnly(source: string, target: string): void {
  mount({ source, target, flags: bind });
}

function bindTo(source: string, target: string): void {
  mount({ source, target, flags: bind | recursive });
  setAttributes(
    target,
    mountAttributes.readOnly | mountAttributes.noSetUserId | mountAttributes.noDevices,
    applyRecursively,
  );
}

function setAttributes(target: string, attributes: number, flags = 0): void {
  const change = Buffer.alloc(32);
  change.writeBigUInt64LE(BigInt(attributes), 0);
  call(`mount_setattr ${target}`, mountSetAttributes, atCurrentFolder, target, flags, change, change.length);
}

function prepareTarget(path: string): void {
  if (statSync(path).isDirectory()) return void mkdirSync(newRoot + path, { recursive: true });
  mkdirSync(newRoot + dirname(path), { recursive: true });
  closeSync(openSync(newRoot + path, "a"));
}

const [openTree, moveMount] = [428, 429];
const cloneTree = 1;
const emptyPath = 0x1000;
const moveFromDescriptor = 4;

/**
 * Mounts a file so that its owner appears to be `userId` (an idmapped mount): that user can then read what the owner
 * can, and the file itself is not changed. Needs root in a private mount namespace.
 */
export function mountAsOwnedBy(userId: number, source: string, target: string): void {
  const tree = call(`open_tree ${source}`, openTree, atCurrentFolder, source, cloneTree);
  const mapping = openMapping(statSync(source), userId);
  const change = Buffer.alloc(32);
  change.writeBigUInt64LE(BigInt(mountAttributes.mapOwners), 0);
  change.writeBigUInt64LE(BigInt(mapping), 24);
  call(`owner of ${source}`, mountSetAttributes, tree, "", emptyPath, change, change.length);
  call(`move_mount ${target}`, moveMount, tree, "", atCurrentFolder, target, moveFromDescriptor);
  closeSync(mapping);
  closeSync(tree);
}

/** The kernel takes the mapping from a user namespace, which is created in a short-lived process. */
function openMapping({ uid, gid }: { uid: number; gid: number }, userId: number): number {
  // The /proc that is mounted here belongs to the outer PID namespace.
  mount({ source: "proc", target: "/proc", type: "proc" });
  const holder = spawn("unshare", ["--user", "cat"], { stdio: ["pipe", "ignore", "ignore"] });
  const pid = holder.pid ?? 0;
  const namespace = `/proc/${pid}/ns/user`;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (readlinkSync(namespace) === readlinkSync("/proc/self/ns/user")) Atomics.wait(pause, 0, 0, 1);
  writeFileSync(`/proc/${pid}/uid_map`, `${uid} ${userId} 1`);
  writeFileSync(`/proc/${pid}/gid_map`, `${gid} ${userId} 1`);
  const descriptor = openSync(namespace, "r");
  process.kill(pid, "SIGKILL");
  reap(pid);
  return descriptor;
}
