import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  type Answer as DnsRecord,
  decode,
  encode,
  type Packet,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
} from "dns-packet";

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

// Of RFC 1035, for the last bits of a packet's flags.
const responseCodes = { "server failure": 2, "no such name": 3 } as const;

/** A real DNS server on loopback, whose answers the test can change at any time. */
export async function startNameServer(zone: Record<string, Answer>): Promise<NameServer> {
  const names = new Map(Object.entries(zone));
  const questions: string[] = [];
  const waiting: (() => void)[] = [];
  const unanswered = new Map<string, (() => void)[]>();
  const socket = createSocket("udp4");

  socket.on("message", (query, from) => {
    const packet = decode(query);
    const { name, type } = readQuestion(packet);
    questions.push(`${type} ${name}`);
    for (const resolve of waiting.splice(0)) resolve();
    const answer = () => {
      const reply = answerTo(packet, { name, type }, names.get(name) ?? "no such name");
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

/** The one question of a query. The guard asks for addresses and nothing else. */
function readQuestion({ questions: [question] = [] }: Packet): Question {
  return { name: question?.name.toLowerCase() ?? "", type: question?.type === "AAAA" ? "AAAA" : "A" };
}

function answerTo(query: Packet, { name, type }: Question, answer: Answer): Buffer | undefined {
  const { A, AAAA, CNAME = [] } = typeof answer === "string" ? { A: answer, AAAA: answer } : answer;
  const addresses = (type === "AAAA" ? AAAA : A) ?? [];
  if (addresses === "silence") return undefined;
  if (typeof addresses === "string") return response(query, responseCodes[addresses], []);
  // The chain of aliases, then the addresses of the last alias, as a recursive server sends them.
  const owners = [name, ...CNAME];
  return response(query, 0, [
    ...CNAME.map((data, index) => ({ type: "CNAME" as const, name: owners[index] ?? "", ttl, data })),
    ...addresses.map((data) => ({ type, name: owners.at(-1) ?? "", ttl, data })),
  ]);
}

const ttl = 300;

const response = ({ id, questions }: Packet, code: number, answers: DnsRecord[]): Buffer =>
  encode({
    type: "response",
    id,
    flags: RECURSION_DESIRED | RECURSION_AVAILABLE | code,
    questions,
    answers,
  });
