// A process that holds a file open, or mapped into memory without a descriptor, until it is killed.
import { closeSync, openSync } from "node:fs";
import koffi from "koffi";

const [how, file = ""] = process.argv.slice(2);
const descriptor = openSync(file, "r");
if (how === "mapped") {
  const map = koffi
    .load(null)
    .func("int64 mmap(int64 at, uint64 bytes, int protection, int flags, int fd, int64 offset)");
  const [readable, isPrivate] = [1, 2];
  map(0, 4096, readable, isPrivate, descriptor, 0);
  closeSync(descriptor);
}
console.log("ready");
setInterval(() => {}, 1e6);
