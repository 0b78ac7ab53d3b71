import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import staticFiles from "@fastify/static";
import type { Deps } from "@querybell/core";
import { AppError } from "@querybell/domain";
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { createPageStatus } from "./page-status.ts";
import { sendProblem } from "./problem.ts";
import { contentSecurityPolicy } from "./security-headers.ts";

/** What the web app's build writes where the nonce of an answer belongs. */
const noncePlaceholder = "__CSP_NONCE__";

/** Serves the built web app: its files, and its one page for every other address, which finds its own way. */
export async function addWebApp(app: FastifyInstance, deps: Deps, folder: string): Promise<void> {
  const isBuilt = existsSync(join(folder, "index.html"));
  if (isBuilt) await addPages(app, deps, folder);
  else app.setNotFoundHandler(({ method, url }, reply) => sendNothingHere(reply, `${method} ${url}`));
}

async function addPages(app: FastifyInstance, deps: Deps, folder: string): Promise<void> {
  const sendPage = createPageSender(readFileSync(join(folder, "index.html"), "utf8"));
  const addresses = z
    .string()
    .array()
    .parse(JSON.parse(readFileSync(join(folder, "pages.json"), "utf8")));
  const statusOf = createPageStatus(deps, addresses);
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
  for (const path of ["/", "/index.html"]) app.get(path, (_request, reply) => sendPage(reply, 200));
  app.setNotFoundHandler(async (request, reply) => {
    const forPeople = request.method === "GET" && !request.url.startsWith("/api/");
    if (forPeople && request.headers.accept?.includes("text/html")) {
      return sendPage(reply, await statusOf(request));
    }
    return sendNothingHere(reply, `${request.method} ${request.url}`);
  });
}

const sendNothingHere = (reply: FastifyReply, what: string) =>
  sendProblem(reply, new AppError("not_found", `There is nothing at ${what.split("?")[0]}.`));

/** Sends the web app's page, each time with a nonce of its own, so no copy may be kept. */
const createPageSender = (template: string) => (reply: FastifyReply, status: 200 | 404) => {
  const nonce = randomBytes(16).toString("base64url");
  return reply
    .code(status)
    .header("content-security-policy", contentSecurityPolicy(nonce))
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(template.replaceAll(noncePlaceholder, nonce));
};
