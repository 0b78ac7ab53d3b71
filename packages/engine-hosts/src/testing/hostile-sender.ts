// A program that is started as an engine host and does to its channel what a hostile one could do.
import { closeSync, writeSync } from "node:fs";
import { encodeFrame } from "../channel/channel.ts";
import { messageDescriptor, socketDescriptor } from "../isolation/isolation.ts";

// The first task of a new parent.
const id = 1;
const frame = (report: object) => encodeFrame(JSON.stringify(report));
const send = (bytes: Uint8Array, descriptor = messageDescriptor) => void writeAll(descriptor, bytes);
const answer = (given: object) => send(frame({ kind: "answer", id, answer: given }));

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}

function forever(act: () => void): never {
  for (;;) act();
}

const piece = Buffer.from([0]);
const completed = { kind: "completed", rowCount: 0, jsonBytes: 0, cutBy: null, etag: "x".repeat(43) };
const pieceOf = (taskId: number) =>
  Buffer.concat([encodeFrame(JSON.stringify({ kind: "chunk", id: taskId }), piece.length), piece]);
const acts: Record<string, () => void> = {
  // Crashed the parent when the channel was Node's IPC, which deserializes V8 objects.
  "a broken object of V8": () => send(Buffer.from([0, 0, 0, 8, 0xff, 0x0f, ...Buffer.alloc(6, 0x7b)])),
  "a length of four gigabytes": () => send(Buffer.alloc(1000, 0xff)),
  "zeros without end": () => forever(() => send(Buffer.alloc(65536))),
  "text that is not JSON": () => send(encodeFrame("nonsense")),
  "JSON of another shape": () => send(frame({ kind: "progress", id: "one" })),
  "JSON of a million levels": () => send(encodeFrame("[".repeat(1_000_000))),
  "JSON with a million keys": () =>
    send(encodeFrame(`{${Array.from({ length: 300_000 }, (_, key) => `"${key}":0`)}}`)),
  "a list of a million wrong items": () =>
    send(frame({ kind: "list", id, piece: { list: "fields", items: Array(1_000_000).fill({}) } })),
  "progress without end": () => forever(() => send(frame({ kind: "progress", id, rows: 1 }))),
  "reports on no task without end": () => forever(() => send(frame({ kind: "progress", id: 99, rows: 1 }))),
  "large reports without end": () =>
    forever(() => send(frame({ kind: "progress", id: 99, rows: 1, more: "x".repeat(1_000_000) }))),
  "tiny pieces of a result without end": () => forever(() => send(pieceOf(id))),
  "pieces of a result of no task without end": () => forever(() => send(pieceOf(99))),
  "lists without end": () =>
    forever(() =>
      send(frame({ kind: "list", id, piece: { list: "schemas", items: Array(10_000).fill("") } })),
    ),
  "bytes with a report that has none": () =>
    send(Buffer.concat([encodeFrame(JSON.stringify({ kind: "started", id }), 1), piece])),
  "requests for connections without end": () => forever(() => send(frame({ kind: "connect", id }))),
  "that it is ready, again and again": () => forever(() => send(frame({ kind: "ready" }))),
  "that it is idle, without an answer": () => send(frame({ kind: "idle", id })),
  "an answer of an unknown kind": () => answer({ kind: "nothing" }),
  "an answer to another task": () => answer({ kind: "schemas" }),
  "that its result has more rows than it may have": () => answer({ ...completed, rowCount: 2 ** 31 - 1 }),
  "that its result has more bytes than it may have": () => answer({ ...completed, jsonBytes: 2 ** 31 - 1 }),
  "errors without end": () => forever(() => send(Buffer.alloc(65536, "x"), 2)),
  "the end of its channel": () => closeSync(messageDescriptor),
  "something into the channel for sockets": () => {
    send(frame({ kind: "started", id }));
    closeSync(socketDescriptor);
    send(encodeFrame("nonsense"));
  },
};

/** The names of what it can send. */
export const hostileActs = Object.keys(acts);

/** Another thing that it can do, for a task that has a server. */
export const keepConnections = "keep connections";

function askForConnections(): void {
  const kept: unknown[] = [];
  process.on("message", (_, socket) => {
    kept.push(socket);
    send(frame({ kind: "connect", id }));
  });
  send(frame({ kind: "connect", id }));
}

const given = process.argv[2] ?? "";
const act = given === keepConnections ? askForConnections : acts[given];
if (act) {
  send(frame({ kind: "ready" }));
  act();
  // A host that is not killed would stay.
  setInterval(() => {}, 60_000);
}
