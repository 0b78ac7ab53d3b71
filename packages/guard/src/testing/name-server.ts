import { createSocket } from "node:dgram";
import { once } from "node:events";
import { parseAddress } from "../address.ts";

type Failure = "no such name" | "server failure" | "silence";

/** The answer for a name: its records, or a failure, for all types or for one. */
export type Answer = Failure | { A?: string[] | Failure; AAAA?: string[] | Failure; CNAME?: string[] };

export interface NameServer extends AsyncDisposable {
  /** In the form that the guard's `servers` takes. */
  address: string;
  /** Every question so far, like `A hooks.example.com`. */
  questions: string[];
  /** Resolves when the next question has arrived, answered or not. */
  nextQuestion(): Promise<void>;
  /** Changes the answer for a name, also for questions that are still unanswered. */
  set(name: string, answer: Answer): void;
}

const types = { A: 1, CNAME: 5, AAAA: 28 } as const;
const responseCodes = { "server failure": 2, "no such name": 3 } as const;

/** A real DNS server on loopback, whose answers the test can change at any time. */
export async function startNameServer(zone: Record<string, Answer>): Promise<NameServer> {
  const names = new Map(Object.entries(zone));
  const questions: string[] = [];
  const waiting: (() => void)[] = [];
  const unanswered = new Map<string, (() => void)[]>();
  const socket = createSocket("udp4");

  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${type} ${name}`);
    for (const resolve of waiting.splice(0)) resolve();
    const answer = () => {
      const reply = answerTo(query.subarray(0, end), { name, type }, names.get(name) ?? "no such name");
      if (reply) socket.send(reply, from.port, from.address);
      else unanswered.set(name, [...(unanswered.get(name) ?? []), answer]);
    };
    answer();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");

  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    nextQuestion: () => new Promise((resolve) => waiting.push(resolve)),
    set(name, answer) {
      names.set(name, answer);
      const late = unanswered.get(name) ?? [];
      unanswered.delete(name);
      for (const reply of late) reply();
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

interface Question {
  name: string;
  type: "A" | "AAAA";
}

/** Reads the one question of a query, and where it ends. The guard asks for addresses and nothing else. */
function readQuestion(query: Buffer): Question & { end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const number = query.readUInt16BE(at + 1);
  const type = number === types.AAAA ? "AAAA" : "A";
  return { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

function answerTo(query: Buffer, { name, type }: Question, answer: Answer) {
  const { A, AAAA, CNAME = [] } = typeof answer === "string" ? { A: answer, AAAA: answer } : answer;
  const addresses = (type === "AAAA" ? AAAA : A) ?? [];
  if (addresses === "silence") return undefined;
  if (typeof addresses === "string") return response(query, responseCodes[addresses], []);
  // A chain of aliases, and the addresses belong to the last one: what a recursive server sends.
  const owners = [name, ...CNAME];
  return response(query, 0, [
    ...CNAME.map((alias, index) => record(owners[index] ?? "", types.CNAME, wireName(alias))),
    ...addresses.map((address) => record(owners.at(-1) ?? "", types[type], addressBytes(address))),
  ]);
}

const addressBytes = (text: string) => parseAddress(text)?.bytes ?? new Uint8Array();

function response(query: Buffer, code: number, records: Buffer[]): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(12), ...records]);
}

function record(owner: string, type: number, data: Uint8Array): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(300, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([wireName(owner), fixed, data]);
}

const wireName = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")])),
    Buffer.from([0]),
  ]);
