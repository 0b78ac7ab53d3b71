import { readdirSync } from "node:fs";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Plugin } from "vite";
import { z } from "zod";

/** As `pnpm dev` sends it. */
export const ApiState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("starting") }),
  z.object({ kind: z.literal("running") }),
  z.object({ kind: z.literal("down"), reason: z.string() }),
]);
export type ApiState = z.infer<typeof ApiState>;

type SettledState = Exclude<ApiState, { kind: "starting" }>;

/** Whether the api runs. While it starts, those who ask wait. */
export class ApiStatus {
  #settled = Promise.withResolvers<SettledState>();
  #isStarting = true;

  set(state: ApiState): void {
    if (!this.#isStarting) this.#settled = Promise.withResolvers();
    this.#isStarting = state.kind === "starting";
    if (state.kind !== "starting") this.#settled.resolve(state);
  }

  settled(): Promise<SettledState> {
    return this.#settled.promise;
  }
}

/** Vite's own addresses: modules, hot reload, and opening a file in the editor. */
const vitePaths = ["/@", "/src/", "/node_modules/", "/__"];

/** Forwards every request to the api, except those for Vite. The api writes the pages, as in production. */
export const forwardToApi = (port: number, status: ApiStatus): Plugin => ({
  name: "forward-to-api",
  configureServer({ config, middlewares }) {
    const files = readdirSync(config.publicDir).map((file) => `/${file}`);
    middlewares.use(async (incoming, response, next) => {
      const path = incoming.url?.split("?")[0] ?? "/";
      if (vitePaths.some((start) => path.startsWith(start)) || files.includes(path)) return next();
      const state = await status.settled();
      if (state.kind === "down") sendUnavailable(response, `The api has ended.\n\n${state.reason}`);
      else forward(port, incoming, response);
    });
  },
});

function forward(port: number, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming;
  // A connection that was kept open could be to the process before a restart.
  const target = { host: "127.0.0.1", port, agent: false };
  const outgoing = request({ ...target, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
    // The api has ended in the middle of its answer.
    answer.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    if (response.headersSent) response.destroy();
    else sendUnavailable(response, "The api does not answer. Its output is in the terminal.");
  });
  // A browser that leaves an event stream ends the stream.
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

const sendUnavailable = (response: ServerResponse, text: string): void => {
  response.writeHead(503, { "content-type": "text/plain; charset=utf-8", "retry-after": "1" }).end(text);
};
