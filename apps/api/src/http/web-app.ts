import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import staticFiles from "@fastify/static";
import { AppError } from "@querybell/domain";
import type { FastifyInstance, FastifyReply } from "fastify";
import { sendProblem } from "./problem.ts";
import { contentSecurityPolicy } from "./security-headers.ts";

/** What the web app's build writes where the nonce of an answer belongs. */
const noncePlaceholder = "__CSP_NONCE__";

/** Serves the built web app; every path that is not a file opens its one page, which finds its own way. */
export async function addWebApp(app: FastifyInstance, folder: string): Promise<void> {
  const index = join(folder, "index.html");
  const sendPage = existsSync(index) ? createPageSender(readFileSync(index, "utf8")) : undefined;
  if (sendPage) {
    const assets = join(folder, "assets") + sep;
    await app.register(staticFiles, {
      root: folder,
      // With the extension, /docs/operating finds the page docs/operating.html.
      extensions: ["html"],
      // The names of assets hold a hash of their content.
      setHeaders: (reply, path) => {
        if (path.startsWith(assets)) reply.header("cache-control", "public, max-age=31536000, immutable");
      },
    });
    for (const path of ["/", "/index.html"]) app.get(path, (_request, reply) => sendPage(reply));
  }
  app.setNotFoundHandler((request, reply) => {
    const forPeople = request.method === "GET" && !request.url.startsWith("/api/");
    if (sendPage && forPeople && request.headers.accept?.includes("text/html")) return sendPage(reply);
    const what = `${request.method} ${request.url.split("?")[0]}`;
    return sendProblem(reply, new AppError("not_found", `There is nothing at ${what}.`));
  });
}

/** Sends the web app's page, each time with a nonce of its own, so no copy may be kept. */
const createPageSender = (template: string) => (reply: FastifyReply) => {
  const nonce = randomBytes(16).toString("base64url");
  return reply
    .header("content-security-policy", contentSecurityPolicy(nonce))
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(template.replaceAll(noncePlaceholder, nonce));
};
