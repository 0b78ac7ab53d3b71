// HTTP/1.1 written by hand: a client library would not send a header twice, or leave out a body's length.
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawRequest {
  /** Sent in this order and case. A name may occur twice. */
  headers: [name: string, value: string][];
  body: Uint8Array;
  /** How the body is delimited. `none`: without a body. `endless`: chunks without the last one. */
  framing: "length" | "chunked" | "none" | "endless";
  /** Whether the request line has the whole address, as a proxy sends it. */
  absoluteTarget?: boolean;
}

export interface RawAnswer {
  status: number;
  body: string;
}

const chunkBytes = 16 * 1024;

/** Sends a request on a new connection, and reads the answer. */
export async function sendRaw(url: URL, request: RawRequest): Promise<RawAnswer> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  try {
    const answer = readAnswer(socket);
    // Awaited below. Until then, a rejection must not count as unhandled.
    answer.catch(() => {});
    await Promise.race([write(socket, url, request), answer]);
    return await answer;
  } finally {
    socket.destroy();
  }
}

async function write(socket: Socket, url: URL, { headers, body, framing, absoluteTarget }: RawRequest) {
  const framingHeaders = {
    length: [["content-length", String(body.length)]],
    chunked: [["transfer-encoding", "chunked"]],
    endless: [["transfer-encoding", "chunked"]],
    none: [],
  }[framing];
  const lines = [
    `POST ${absoluteTarget ? url.href : url.pathname} HTTP/1.1`,
    ...[["host", url.host], ["connection", "close"], ...headers, ...framingHeaders].map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ];
  await send(socket, Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  if (framing === "length" || framing === "none") return send(socket, body);
  // Small bodies are sent in several chunks too.
  const size = Math.min(chunkBytes, Math.max(1, Math.ceil(body.length / 3)));
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    const head = Buffer.from(`${chunk.length.toString(16)}\r\n`);
    await send(socket, Buffer.concat([head, chunk, Buffer.from("\r\n")]));
  }
  if (framing === "chunked") await send(socket, Buffer.from("0\r\n\r\n"));
}

async function send(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (bytes.length > 0 && socket.writable && !socket.write(bytes)) await once(socket, "drain");
}

/** Reads to the end of the answer, or until the server closes. Some servers keep waiting for the rest of the body. */
function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const finish = (failure?: Error) => {
      const answer = parseAnswer(text);
      if (answer) resolve(answer);
      else reject(failure ?? new Error("The connection closed without an answer."));
    };
    socket.setEncoding("latin1");
    socket.on("data", (piece) => {
      text += piece;
      const answer = parseAnswer(text);
      if (answer?.isComplete) resolve(answer);
    });
    socket.once("end", finish);
    socket.once("error", finish);
  });
}

function parseAnswer(text: string): (RawAnswer & { isComplete: boolean }) | undefined {
  // After 100 Continue comes the real answer.
  const final = text.replace(/^HTTP\/1\.1 100 [^\r]*\r\n(?:[^\r]+\r\n)*\r\n/, "");
  const end = final.indexOf("\r\n\r\n");
  const head = final.slice(0, end).toLowerCase();
  const [, status] = /^http\/1\.1 (\d{3})/.exec(head) ?? [];
  if (end < 0 || !status) return undefined;
  const content = final.slice(end + 4);
  const [, length] = /^content-length: *(\d+)/m.exec(head) ?? [];
  const isChunked = /^transfer-encoding: *chunked/m.test(head);
  return {
    status: Number(status),
    body: isChunked ? joinChunks(content) : content,
    isComplete: isChunked ? content.endsWith("0\r\n\r\n") : content.length === Number(length),
  };
}

function joinChunks(text: string): string {
  let joined = "";
  for (let rest = text; ; ) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (!(size > 0)) return joined;
    joined += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
}
