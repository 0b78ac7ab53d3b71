import { type Agent, request } from "node:http";
import { gunzipSync } from "node:zlib";
import type { HttpCall } from "./operations.ts";

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  ms: number;
}

/** Far above what any call takes on a busy machine. */
const limitMs = 60_000;

/** Sends a request as it is: without redirects, and without the corrections that `fetch` makes. */
export function sendCall(
  url: string,
  { method, path, headers, body }: HttpCall,
  { agent, isSubscription }: { agent: Agent; isSubscription: boolean },
): Promise<HttpAnswer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const length = body ? { "content-length": body.length } : {};
    const sent = request(`${url}/`, { method, path, agent, headers: { ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      const end = () => {
        clearTimeout(timer);
        const text = decoded(Buffer.concat(chunks), answer.headers["content-encoding"]).toString();
        const ms = performance.now() - startedAt;
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, ms });
      };
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        // A subscription sends its first message at once, and may never end by itself.
        if (isSubscription && hasMessage(Buffer.concat(chunks).toString())) {
          end();
          answer.destroy();
        }
      });
      answer.on("end", end);
      answer.on("error", reject);
    });
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${limitMs} ms`)), limitMs);
    sent.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    sent.end(body);
  });
}

/** A result is stored compressed, and sent compressed to clients that accept it. */
const decoded = (body: Buffer, encoding: string | undefined): Buffer =>
  encoding === "gzip" && body.length > 0 ? gunzipSync(body) : body;

const hasMessage = (text: string): boolean =>
  text
    .split("\n\n")
    .slice(0, -1)
    .some((event) => !/^event: (connected|ping)$/m.test(event));
