import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { previewName, readTokenHash } from "@querybell/public-pages";
import type { Logger } from "pino";
import {
  type Answer,
  compress,
  empty,
  etagOf,
  isSame,
  notFound,
  nothingAllowed,
  type StoredTab,
  toCompressed,
  toPage,
  toStored,
  toText,
} from "./answers.ts";
import { createFrames } from "./frames.ts";
import { accessCookie, createPasswordCheck, hasAccess } from "./page-access.ts";
import { createByteCache, createShortCache } from "./page-cache.ts";
import { BusyError, type FoundFile, type FoundPage, type PageStore } from "./page-store.ts";
import { passwordPage, renderPage } from "./render-page.ts";
import { style } from "./style.ts";
import { createViewCounter } from "./views.ts";

interface ServerOptions {
  store: PageStore;
  logger: Logger;
  /** The origin of public pages. */
  baseUrl: string;
  /** How long a process answers without asking whether a link still works. */
  checkEveryMs?: number;
  now?: () => Date;
}

/** All tabs of a page, by their ids. */
type StoredPage = Map<string, StoredTab>;

/** The path of a page: its token and, for a picture, the name of the file. */
const pagePath = /^\/p\/([A-Za-z0-9_-]{32})(?:\/([a-z0-9.-]{1,40}))?$/;
const maxFormBytes = 4096;
const cacheBytes = 64 * 1024 ** 2;

/** On every answer. */
const safeHeaders = {
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** Serves published pages over HTTP. It reads them from the store and computes nothing from data but HTML. */
export function createPublicServer({
  store,
  logger,
  baseUrl,
  checkEveryMs = 500,
  now = () => new Date(),
}: ServerOptions) {
  const found = createShortCache<FoundPage | undefined>({ lifetimeMs: checkEveryMs, maxEntries: 10_000 });
  const pages = createByteCache<StoredPage>({
    maxBytes: cacheBytes,
    sizeOf: (tabs) => [...tabs.values()].reduce((sum, { body }) => sum + body.length, 0),
  });
  const files = createByteCache<FoundFile>({ maxBytes: cacheBytes, sizeOf: ({ bytes }) => bytes.length });
  const views = createViewCounter(store, (error) => logger.error(error, "could not count views"));
  const checkPassword = createPasswordCheck();
  const isSecure = baseUrl.startsWith("https:");
  const frames = createFrames({ store, baseUrl, checkEveryMs, now });

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = "", url = "" } = request;
    const [path = "", ...rest] = url.split("?");
    // A value may contain a question mark.
    const search = rest.join("?");
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && method !== "POST") return toText(405, "Method not allowed", { allow: "GET, HEAD, POST" });
    if (path === "/healthz" && isRead) return toText(200, "ok");
    if (path === "/readyz" && isRead) {
      const reason = await store.whyNotReady();
      return toText(reason === undefined ? 200 : 503, reason ?? "ready");
    }
    if (path === style.path && isRead) return styleAnswer;
    if (path === "/e" || path.startsWith("/e/")) return frames.answer(request, { path, search });
    const [, token = "", file] = pagePath.exec(path) ?? [];
    const tokenHash = readTokenHash(token);
    if (!tokenHash) return notFound;
    const key = Buffer.from(tokenHash).toString("hex");
    const page = await found.get(key, () => store.find(tokenHash));
    if (!page) return notFound;
    const pageUrl = `/p/${token}`;
    if (method === "POST") {
      return page.passwordHash === null || file !== undefined
        ? notFound
        : openWithPassword(request, { key, path: pageUrl, passwordHash: page.passwordHash });
    }
    const isOpen = page.passwordHash === null || hasAccess(request.headers.cookie, page.passwordHash);
    if (file !== undefined)
      return isOpen ? readFile({ key, tokenHash, page, name: file }, request) : notFound;
    if (!isOpen) return toPage(401, passwordPage(pageUrl, undefined));
    const shown = await readPage({ key, tokenHash, page, path: pageUrl, search });
    if (!shown) return notFound;
    if (method === "GET") views.add(key);
    return toStored(shown, request);
  };

  const readPage = async ({
    key,
    tokenHash,
    page,
    path,
    search,
  }: PageToRead): Promise<StoredTab | undefined> => {
    const state = [page.version, page.passwordHash === null ? "" : "p", ...page.hidden].join();
    const load = async (): Promise<StoredPage | undefined> => {
      const read = await store.readContent(tokenHash);
      if (!read) return undefined;
      const { content } = read;
      const hasPassword = page.passwordHash !== null;
      const look = { content, path, baseUrl, hidden: new Set(page.hidden), hasPassword };
      const tabs: StoredPage = new Map();
      for (const tab of content.tabs) {
        const { text, contentSecurityPolicy } = renderPage({ ...look, tab });
        tabs.set(tab.id, { etag: etagOf(text), contentSecurityPolicy, body: await compress(text) });
      }
      return tabs;
    };
    const tabs = await pages.get(`${key} ${state}`, load);
    const named = new URLSearchParams(search.slice(0, 500)).get("tab");
    return tabs?.get(named ?? "") ?? tabs?.values().next().value;
  };

  const readFile = async (
    { key, tokenHash, page, name }: FileToRead,
    request: IncomingMessage,
  ): Promise<Answer> => {
    const file = await files.get(`${key} ${page.version} ${name}`, () => store.readFile(tokenHash, name));
    // The preview shows several charts.
    const hasHidden =
      name === previewName ? page.hidden.length > 0 : page.hidden.includes(file?.referenceId ?? "");
    if (!file || hasHidden) return notFound;
    const isSvg = name.endsWith(".svg");
    const headers = {
      "content-type": isSvg ? "image/svg+xml; charset=utf-8" : "image/png",
      "content-security-policy": nothingAllowed,
      // Asked again each time, so that a revoked link ends at once.
      "cache-control": "private, no-cache",
      etag: `"${file.version}"`,
    };
    if (isSame(request, headers.etag)) return { status: 304, headers, body: empty };
    return isSvg
      ? toCompressed({ status: 200, headers, body: file.bytes }, request)
      : { status: 200, headers, body: file.bytes };
  };

  const openWithPassword = async (
    request: IncomingMessage,
    { key, path, passwordHash }: { key: string; path: string; passwordHash: string },
  ): Promise<Answer> => {
    const form = await readForm(request);
    const password = form?.get("password") ?? "";
    if (password === "" || password.length > 200)
      return toPage(400, passwordPage(path, "Enter the password."));
    const outcome = await checkPassword(key, password, passwordHash);
    if (outcome === "too many") {
      const { status, headers, body } = toPage(429, passwordPage(path, "Too many attempts. Wait a minute."));
      return { status, headers: { ...headers, "retry-after": "60" }, body };
    }
    if (outcome === "wrong") return toPage(403, passwordPage(path, "This is not the password."));
    const headers = { location: path, "set-cookie": accessCookie(passwordHash, { path, isSecure }) };
    return toText(303, "", headers);
  };

  const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    answer(request)
      .catch((error: unknown) => {
        if (error instanceof BusyError) return toText(429, "Too many requests", { "retry-after": "1" });
        // The visitor is gone before the end of the request.
        if (request.destroyed && !request.complete) return toText(400, "");
        // Not the address: it has the token in it.
        logger.error(error, "a public page could not be served");
        return toText(503, "Unavailable. Try again.", { "retry-after": "5" });
      })
      .then((result) => send(request, response, result));
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 15_000;
  server.keepAliveTimeout = 65_000;
  server.maxConnections = 5_000;

  return {
    async listen(port: number, host: string): Promise<string> {
      server.listen(port, host);
      await once(server, "listening");
      const address = server.address();
      return `http://${host}:${typeof address === "object" ? address?.port : port}`;
    },
    flushViews: views.flush,
    async close(): Promise<void> {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      await closed;
      await views.stop();
    },
  };
}

interface PageToRead {
  key: string;
  tokenHash: Uint8Array;
  page: FoundPage;
  path: string;
  search: string;
}

interface FileToRead extends Pick<PageToRead, "key" | "tokenHash" | "page"> {
  name: string;
}

const styleAnswer: Answer = {
  status: 200,
  headers: {
    "content-type": "text/css; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
  },
  body: style.bytes,
};

/** Undefined if it is no form, or too large. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/.test(request.headers["content-type"] ?? "")) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxFormBytes) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  // What was not read of a body would be taken for the next request.
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(status, {
    ...safeHeaders,
    ...headers,
    ...(status !== 304 && { "content-length": body.length }),
  });
  response.end(request.method === "HEAD" || status === 304 ? undefined : body);
}
