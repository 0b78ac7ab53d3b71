import { spawn } from "node:child_process";
import { closeSync, openSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { call, mount, reap } from "./linux.ts";
import { mountAttributes } from "./private-root.ts";

const [openTree, moveMount, mountSetAttributes] = [428, 429, 442];
const atCurrentFolder = -100;
const cloneTree = 1;
const emptyPath = 0x1000;
const moveFromDescriptor = 4;

/**
 * Mounts a file so that its owner appears to be `userId` (an idmapped mount): that user can then read what the owner
 * can, and the file itself is not changed. Needs root in a mount namespace of its own.
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
