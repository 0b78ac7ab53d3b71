import { readdirSync } from "node:fs";
import koffi from "koffi";

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
export function keepDescriptorsFromChildren(): void {
  // On macOS, Node starts children this way itself.
  if (process.platform !== "linux") return;
  const values = ["int64", firstAfterStandard, "int64", last, "int64", markCloseOnExec];
  if (Number(syscall(closeRange, ...values)) === 0) return;
  // Linux before 5.11.
  for (const name of readdirSync("/proc/self/fd")) {
    if (Number(name) >= firstAfterStandard) fcntl(Number(name), setFlags, "int", closeOnExec);
  }
}
