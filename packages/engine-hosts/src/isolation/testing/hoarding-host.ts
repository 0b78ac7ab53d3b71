import { openSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import koffi from "koffi";
import { encodeFrame } from "../../channel/channel.ts";
import { readMessages } from "../../testing/messages-of-host.ts";
import { messageDescriptor } from "../isolation.ts";

/**
 * A program that is started as an engine host and fills memory in every way that is left to it. It is told in which
 * way, and answers with how many bytes it filled at least.
 */
const syscall = koffi.load(null).func("int64 syscall(int64 number, ...)");
const numbers =
  process.arch === "x64" ? { mmap: 9, madvise: 28, pipe2: 293 } : { mmap: 222, madvise: 233, pipe2: 59 };
const call = (number: number, ...values: number[]): number =>
  Number(syscall(number, ...values.flatMap((value) => ["int64", value])));

const mebibyte = 1024 ** 2;
const kept: unknown[] = [];

function fillMemory(): number {
  const bytes = 64 * mebibyte;
  kept.push(Buffer.alloc(bytes, 1));
  return bytes;
}

/** Reads one page in each 2 MiB of a reserved area. It is the shared page of zeros, but each needs a page table. */
function fillPageTables(): number {
  const [tables, covered] = [8192, 2 * mebibyte];
  const [readable, privateAnonymousUnreserved, populateForReading, neverHuge] = [1, 0x4022, 22, 15];
  const start = call(numbers.mmap, 0, tables * covered, readable, privateAnonymousUnreserved, -1, 0);
  call(numbers.madvise, start, tables * covered, neverHuge);
  for (let index = 0; index < tables; index++) {
    call(numbers.madvise, start + index * covered, 4096, populateForReading);
  }
  return tables * 4096;
}

async function startThreads(): Promise<number> {
  const threads = 16;
  for (let index = 0; index < threads; index++) {
    const worker = new Worker("setInterval(() => {}, 1e6)", { eval: true });
    kept.push(worker);
    await new Promise((resolve) => worker.once("online", resolve));
  }
  return threads * 16 * 1024;
}

function fillPipes(): number {
  let bytes = 0;
  const block = Buffer.alloc(65_536, 1);
  for (;;) {
    const descriptors = Buffer.alloc(8);
    const nonBlocking = 0o4000;
    if (Number(syscall(numbers.pipe2, "void *", descriptors, "int64", nonBlocking)) < 0) return bytes;
    try {
      for (;;) bytes += writeSync(descriptors.readInt32LE(4), block);
    } catch {}
  }
}

/** In the folder of the first argument. */
function fillDeletedFile(): number {
  const file = join(process.argv[2] ?? "", "deleted");
  const descriptor = openSync(file, "w");
  unlinkSync(file);
  const bytes = 4 * mebibyte;
  writeFileSync(descriptor, Buffer.alloc(bytes, 1));
  return bytes;
}

const ways: Record<string, () => number | Promise<number>> = {
  memory: fillMemory,
  "page tables": fillPageTables,
  threads: startThreads,
  pipes: fillPipes,
  "a deleted file": fillDeletedFile,
};
const messages = new Socket({ fd: messageDescriptor });
for await (const what of readMessages(messages)) {
  messages.write(encodeFrame(JSON.stringify((await ways[String(what)]?.()) ?? 0)));
}
