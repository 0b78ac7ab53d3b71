import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";

const ChatMessage = z.looseObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.unknown(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .optional(),
  tool_call_id: z.string().optional(),
});
const ChatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(ChatMessage),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
});
/** A request as the protocol has it. */
export type ChatRequest = z.infer<typeof ChatRequest>;

interface Call {
  name: string;
  /** An object, or a text that is sent as the arguments unchanged. */
  input: unknown;
}

/** How the server answers one request. */
export type Turn =
  | {
      kind: "say";
      pieces?: string[];
      calls?: Call[];
      usage?: { prompt: number; completion: number } | null;
      until?: Promise<unknown>;
    }
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string }
  | { kind: "refuse"; text: string }
  | { kind: "filter" }
  /** Takes the request and never answers, or stops in the middle. */
  | { kind: "hang"; pieces?: string[] }
  /** Ends the connection in the middle of the stream. */
  | { kind: "drop"; pieces: string[] }
  /** Ends the stream in order, without a finish reason. */
  | { kind: "no_finish"; pieces: string[] }
  | { kind: "garbage" }
  /** Repeats a text until the client is gone. */
  | { kind: "endless"; piece: string };

type Script = (request: ChatRequest, number: number) => Turn;

interface ModelTestServer extends AsyncDisposable {
  /** What is set as the model's URL. */
  url: string;
  requests: ChatRequest[];
  /** The `authorization` header of each request. */
  keys: (string | undefined)[];
}

/** A server that speaks the protocol over HTTP and plays a script, which sees each request. */
export async function startModelServer(script: Script): Promise<ModelTestServer> {
  const requests: ChatRequest[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = ChatRequest.parse(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      response.writeHead(404).end();
      return;
    }
    requests.push(body);
    keys.push(request.headers.authorization);
    await play(response, script(body, requests.length));
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    keys,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function play(response: ServerResponse, turn: Turn): Promise<void> {
  if (turn.kind === "status") {
    const headers = { "content-type": "application/json", ...turn.headers };
    response.writeHead(turn.status, headers).end(turn.body ?? JSON.stringify({ error: { message: "no" } }));
    return;
  }
  if (turn.kind === "hang" && !turn.pieces) return;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (data: unknown) =>
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  const delta = (content: object, finish: string | null = null) =>
    send({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: content, finish_reason: finish }],
    });
  const say = (pieces: readonly string[]) => {
    for (const content of pieces) delta({ content });
  };
  const end = (finish: string, usage: { prompt: number; completion: number } | null = null) => {
    delta({}, finish);
    if (usage) {
      const { prompt: prompt_tokens, completion: completion_tokens } = usage;
      send({
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [],
        usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
      });
    }
    send("[DONE]");
    response.end();
  };
  switch (turn.kind) {
    case "say": {
      const { pieces = [], calls = [], usage = { prompt: 100, completion: 20 } } = turn;
      say(pieces);
      await turn.until;
      for (const [index, { name, input }] of calls.entries()) {
        const text = typeof input === "string" ? input : JSON.stringify(input);
        const half = Math.floor(text.length / 2);
        delta({
          tool_calls: [
            { index, id: `call_${index}_${name}`, type: "function", function: { name, arguments: "" } },
          ],
        });
        delta({ tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] });
        delta({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] });
      }
      end(calls.length > 0 ? "tool_calls" : "stop", usage);
      return;
    }
    case "refuse":
      delta({ refusal: turn.text });
      end("stop");
      return;
    case "filter":
      end("content_filter");
      return;
    case "hang":
      say(turn.pieces ?? []);
      return;
    case "drop":
      say(turn.pieces);
      // After everything that was written has been sent.
      response.write("", () => response.destroy());
      return;
    case "no_finish":
      say(turn.pieces);
      response.end();
      return;
    case "garbage":
      send("{not json");
      response.end();
      return;
    case "endless":
      while (!response.destroyed) {
        delta({ content: turn.piece });
        // Waits until the client has taken it, or is gone.
        if (response.writableNeedDrain)
          await Promise.race([once(response, "drain"), once(response, "close")]);
        else await nextTurn();
      }
  }
}

/** The results of the last tool calls, by the id of the call. */
export const lastToolTexts = ({ messages }: ChatRequest): string[] =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
    .flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []));
