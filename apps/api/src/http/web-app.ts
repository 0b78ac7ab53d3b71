import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import staticFiles from "@fastify/static";
import { AppError } from "@querybell/domain";
import { SettingsError } from "@querybell/runtime";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CreateContext } from "../trpc/context.ts";
import { type FoundPage, findPage, readPages } from "./page-addresses.ts";
import { readPage } from "./page-data.ts";
import { createPageWriter } from "./page-html.ts";
import { sendProblem } from "./problem.ts";
import { contentSecurityPolicy } from "./security-headers.ts";

/** For a process that people open in a browser, unless its settings say that it serves no pages. */
export function requireWebApp(folder: string): void {
  if (folder === "" || isBuilt(folder)) return;
  throw new SettingsError(
    `The folder ${folder} does not have the built web app. Build it with pnpm build, or set WEB_FOLDER to the folder that has its index.html.`,
  );
}

const isBuilt = (folder: string): boolean => folder !== "" && existsSync(join(folder, "index.html"));

/** Serves the built web app: its files, and its HTML page for every other address. */
export async function addWebApp(
  app: FastifyInstance,
  createPageContext: CreateContext,
  folder: string,
): Promise<void> {
  if (isBuilt(folder)) await addPages(app, createPageContext, folder);
  else app.setNotFoundHandler(({ method, url }, reply) => sendNothingHere(reply, `${method} ${url}`));
}

async function addPages(
  app: FastifyInstance,
  createPageContext: CreateContext,
  folder: string,
): Promise<void> {
  const assets = join(folder, "assets") + sep;
  await app.register(staticFiles, {
    root: folder,
    // The build writes compressed copies next to the files.
    preCompressed: true,
    // With the extension, /docs/operating finds the page docs/operating.html.
    extensions: ["html"],
    // The names of assets hold a hash of their content.
    setHeaders: (reply, path) => {
      if (path.startsWith(assets)) reply.header("cache-control", "public, max-age=31536000, immutable");
    },
  });
  const pages = readPages(folder);
  const sendPage = createPageSender(createPageContext, folder);
  for (const path of ["/", "/index.html"]) {
    app.get(path, (request, reply) => sendPage(request, reply, findPage(pages, "/")));
  }
  app.setNotFoundHandler(async (request, reply) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const page = isRead ? findPage(pages, pathOf(request)) : undefined;
    // A page is sent whatever the request accepts: it has no other form.
    if (page) return sendPage(request, reply, page);
    const forPeople = isRead && !request.url.startsWith("/api/");
    if (forPeople && request.headers.accept?.includes("text/html")) return sendPage(request, reply);
    return sendNothingHere(reply, `${request.method} ${request.url}`);
  });
}

const sendNothingHere = (reply: FastifyReply, what: string) =>
  sendProblem(reply, new AppError("not_found", `There is nothing at ${what.split("?")[0]}.`));

const pathOf = ({ url }: FastifyRequest): string => url.split("?")[0] ?? "/";

/**
 * Sends the page of the web app; without `page`, the one that says that there is nothing. It contains a nonce and data
 * of the caller, so it must not be cached.
 */
function createPageSender(createPageContext: CreateContext, folder: string) {
  const writePage = createPageWriter(readFileSync(join(folder, "index.html"), "utf8"));
  return async (request: FastifyRequest, reply: FastifyReply, page?: FoundPage): Promise<FastifyReply> => {
    // If the database does not answer, the page shows the error.
    const context = page && (await createPageContext(request, reply).catch(() => undefined));
    const { status, reads, heading } =
      page && context
        ? await readPage(context, page, request.url.length > pathOf(request).length + 1)
        : { status: page ? 200 : 404, reads: [], heading: undefined };
    const { html, nonce } = writePage({
      files: page?.files ?? [],
      laterFiles: page?.laterFiles ?? [],
      reads,
      heading,
    });
    return reply
      .code(status)
      .header("content-security-policy", contentSecurityPolicy(nonce))
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8")
      .send(html);
  };
}
