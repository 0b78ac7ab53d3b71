import { existsSync } from "node:fs";
import staticFiles from "@fastify/static";
import { AppError } from "@querybell/domain";
import type { FastifyInstance } from "fastify";
import { sendProblem } from "./problem.ts";

/** Serves the built web app; every path that is not a file opens its one page, which finds its own way. */
export async function addWebApp(app: FastifyInstance, folder: string): Promise<void> {
  const built = existsSync(`${folder}/index.html`);
  // With the extension, /docs/operating finds the page docs/operating.html.
  if (built) await app.register(staticFiles, { root: folder, index: ["index.html"], extensions: ["html"] });
  app.setNotFoundHandler((request, reply) => {
    const forPeople = request.method === "GET" && !request.url.startsWith("/api/");
    if (built && forPeople && request.headers.accept?.includes("text/html"))
      return reply.sendFile("index.html");
    const what = `${request.method} ${request.url.split("?")[0]}`;
    return sendProblem(reply, new AppError("not_found", `There is nothing at ${what}.`));
  });
}
