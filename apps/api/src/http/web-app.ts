import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import staticFiles from "@fastify/static";
import { AppError, SettingsError } from "@querybell/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { CreateContext } from "../trpc/context.ts";
import { type FoundPage, findPage, readPages } from "./page-addresses.ts";
import { type PageHeading, type PageRead, readPage } from "./page-data.ts";
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
 * Sends the page of the web app, or without `page` the one for unknown addresses. It contains a nonce and
 * data of the caller, so it must not be cached.
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
      earlyFiles: page?.earlyFiles ?? [],
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

/** The placeholder of the nonce in the built page. */
const noncePlaceholder = "__CSP_NONCE__";

/** Where the web app draws the page. */
const rootStart = '<div id="root">';

interface PageParts {
  /** Scripts that run as soon as the data is there, without waiting for those of every page. */
  earlyFiles: readonly string[];
  /** Further scripts and styles of the page, which the browser preloads. */
  files: readonly string[];
  /** Fetched equally early, but parsed only when imported, so that the first paint does not wait for them. */
  laterFiles: readonly string[];
  reads: readonly PageRead[];
  /** Read while the scripts load; the web app replaces it. */
  heading?: PageHeading | undefined;
}

/** Writes the HTML of a page: with a new nonce, preloads, and the data that the page shows first. */
const createPageWriter = (template: string) => {
  const [head, top, bottom] = split(template);
  return ({ earlyFiles, files, laterFiles, reads, heading }: PageParts): { html: string; nonce: string } => {
    const nonce = randomBytes(16).toString("base64url");
    const withNonce = (text: string) => text.replaceAll(noncePlaceholder, nonce);
    const links = [...files.map(linkTo), ...laterFiles.map(prefetch)].join("");
    const early = earlyFiles.map(runEarly).join("");
    const html = `${withNonce(head)}${links}${dataBlock(reads)}${early}${withNonce(top)}${headingBlock(heading)}${withNonce(bottom)}`;
    return { html, nonce };
  };
};

/** Splits the page: up to the end of the head, up to the content of the root element, and the rest. */
function split(template: string): [head: string, top: string, bottom: string] {
  const endOfHead = template.indexOf("</head>");
  const root = template.indexOf(rootStart);
  if (endOfHead === -1 || root === -1) throw new Error(`The built page has no ${rootStart} or no head.`);
  const inside = root + rootStart.length;
  return [template.slice(0, endOfHead), template.slice(endOfHead, inside), template.slice(inside)];
}

/** Marked as busy, because the web app replaces it. */
function headingBlock(heading: PageHeading | undefined): string {
  if (!heading) return "";
  const { title, description = null, sql } = heading;
  const text = description === null ? "" : `<p>${escapeText(description)}</p>`;
  // The parser drops a line break at the beginning of the element.
  const statement = sql === undefined ? "" : `<pre>\n${escapeText(sql)}</pre>`;
  return `<div class="early-heading" aria-busy="true"><h1>${escapeText(title)}</h1>${text}${statement}</div>`;
}

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const runEarly = (file: string): string => `<script type="module" async crossorigin src="/${file}"></script>`;

const linkTo = (file: string): string =>
  file.endsWith(".css")
    ? `<link rel="stylesheet" crossorigin href="/${file}">`
    : `<link rel="modulepreload" crossorigin href="/${file}">`;

// Not preloaded: a page that turns out not to need it, like a permalink without a chart, would log a warning.
const prefetch = (file: string): string =>
  `<link rel="prefetch" as="${file.endsWith(".css") ? "style" : "script"}" crossorigin href="/${file}">`;

/**
 * A data block: a script element that browsers never run, so the content security policy, which allows no inline script,
 * does not concern it. Without `<`, nothing in the data can end the element.
 */
const dataBlock = (reads: readonly PageRead[]): string =>
  reads.length === 0
    ? ""
    : `<script type="application/json" id="page-data">${JSON.stringify(reads).replaceAll("<", "\\u003c")}</script>`;
