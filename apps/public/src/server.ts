import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { fieldOf, findPageNumber, previewName, readTokenHash, textsOfPages } from "@querybell/public-pages";
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
  withRefresh,
} from "./answers.ts";
import { createFrames } from "./frames.ts";
import { accessCookie, createPasswordCheck, hasAccess } from "./page-access.ts";
import { createByteCache, createShortCache } from "./page-cache.ts";
import { BusyError, type FoundFile, type FoundLink, type FoundPage, type PageStore } from "./page-store.ts";
import { noPage, passwordPage, renderPage } from "./render-page.ts";
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

/** The path of a link: its token and, for a picture, the number of the page and the name of the file. */
const linkPath = /^\/p\/([A-Za-z0-9_-]{32})(?:(?:\/(\d{1,2}))?\/([a-z0-9.-]{1,40}))?$/;
/** The path of a picture of a message: no token of a page is as short. */
const picturePath = /^\/p\/pictures\/([A-Za-z0-9_-]{32})\.png$/;
const maxSearchCharacters = 8000;
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
  const found = createShortCache<FoundLink | undefined>({ lifetimeMs: checkEveryMs, maxEntries: 10_000 });
  const pages = createByteCache<StoredPage>({
    maxBytes: cacheBytes,
    sizeOf: (tabs) => [...tabs.values()].reduce((sum, { body }) => sum + body.length, 0),
  });
  const files = createByteCache<FoundFile>({ maxBytes: cacheBytes, sizeOf: ({ bytes }) => bytes.length });
  const pictures = createShortCache<Buffer | undefined>({ lifetimeMs: checkEveryMs, maxEntries: 50 });
  const views = createViewCounter(store, (error) => logger.error(error, "could not count views"));
  const checkPassword = createPasswordCheck();
  const isSecure = baseUrl.startsWith("https:");
  const frames = createFrames({ store, baseUrl, checkEveryMs, now });

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = "", url = "" } = request;
    const [path = "", ...rest] = url.split("?");
    // A value may contain a question mark.
    const query = rest.join("?");
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && method !== "POST") return toText(405, "Method not allowed", { allow: "GET, HEAD, POST" });
    if (path === "/healthz" && isRead) return toText(200, "ok");
    if (path === "/readyz" && isRead) {
      const reason = await store.whyNotReady();
      return toText(reason === undefined ? 200 : 503, reason ?? "ready");
    }
    if (path === style.path && isRead) return styleAnswer;
    if (path === "/e" || path.startsWith("/e/")) return frames.answer(request, { path, search: query });
    const [, pictureToken] = picturePath.exec(path) ?? [];
    if (pictureToken !== undefined && isRead) return readPicture(pictureToken);
    const [, token = "", number = "0", file] = linkPath.exec(path) ?? [];
    const tokenHash = readTokenHash(token);
    if (!tokenHash) return notFound;
    const key = Buffer.from(tokenHash).toString("hex");
    const link = await found.get(key, () => store.find(tokenHash));
    if (!link || (link.choices.length === 0 && link.pages.length === 0)) return notFound;
    const { passwordHash } = link;
    const linkUrl = `/p/${token}`;
    const search = new URLSearchParams(query.slice(0, maxSearchCharacters));
    // With the values that the visitor was given, also after the password.
    const address = search.size === 0 ? linkUrl : `${linkUrl}?${search}`;
    if (method === "POST") {
      return passwordHash === null || file !== undefined
        ? notFound
        : openWithPassword(request, { key, path: linkUrl, address, passwordHash });
    }
    const isOpen = passwordHash === null || hasAccess(request.headers.cookie, passwordHash);
    if (file !== undefined) {
      const page = link.pages.find((one) => one.number === Number(number));
      return isOpen && page ? readFile({ key, tokenHash, page, name: file }, request) : notFound;
    }
    if (!isOpen) return toPage(401, passwordPage(address, undefined));
    const chosen = findPageNumber(link.choices, chosenIn(search));
    if (chosen === undefined) return toPage(404, noPage(linkUrl, "not published"));
    const page = link.pages.find((one) => one.number === chosen);
    const tabs = page && (await readTabs({ key, tokenHash, link, page, path: linkUrl }));
    const shown = tabs?.get(search.get("tab") ?? "") ?? tabs?.values().next().value;
    if (!shown) return withRefresh(toPage(404, noPage(linkUrl, "not made")), lookAgainSeconds);
    if (method === "GET") views.add(key);
    return toStored(shown, request);
  };

  /** A picture that Slack and Teams show in a message. */
  const readPicture = async (token: string): Promise<Answer> => {
    const tokenHash = readTokenHash(token);
    const png = tokenHash && (await pictures.get(token, () => store.readMessagePicture(tokenHash)));
    if (!png) return notFound;
    const headers = {
      "content-type": "image/png",
      "content-security-policy": nothingAllowed,
      "cache-control": "private, no-cache",
      // The page that shows it is one of Slack or Teams.
      "cross-origin-resource-policy": "cross-origin",
    };
    return { status: 200, headers, body: png };
  };

  const readTabs = async ({
    key,
    tokenHash,
    link,
    page,
    path,
  }: PageToRead): Promise<StoredPage | undefined> => {
    const { number, version, hidden } = page;
    const hasPassword = link.passwordHash !== null;
    const state = [number, version, hasPassword ? "p" : "", ...hidden].join();
    return pages.get(`${key} ${state}`, async () => {
      const read = await store.readContent(tokenHash, number);
      if (!read) return undefined;
      const { content } = read;
      const given = number === 0 ? {} : (textsOfPages(link.choices)[number] ?? {});
      const files = number === 0 ? `${path}/` : `${path}/${number}/`;
      const look = { content, path, files, given, baseUrl, hidden: new Set(hidden), hasPassword };
      const tabs: StoredPage = new Map();
      for (const tab of content.tabs) {
        const { text, contentSecurityPolicy } = renderPage({ ...look, tab });
        tabs.set(tab.id, { etag: etagOf(text), contentSecurityPolicy, body: await compress(text) });
      }
      return tabs;
    });
  };

  const readFile = async (
    { key, tokenHash, page: { number, version, hidden }, name }: FileToRead,
    request: IncomingMessage,
  ): Promise<Answer> => {
    const file = await files.get(`${key} ${version} ${name}`, () =>
      store.readFile(tokenHash, { number, name }),
    );
    // The preview shows several charts.
    const hasHidden = name === previewName ? hidden.length > 0 : hidden.includes(file?.referenceId ?? "");
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
    { key, path, address, passwordHash }: Record<"key" | "path" | "address" | "passwordHash", string>,
  ): Promise<Answer> => {
    const form = await readForm(request);
    const password = form?.get("password") ?? "";
    if (password === "" || password.length > 200)
      return toPage(400, passwordPage(address, "Enter the password."));
    const outcome = await checkPassword(key, password, passwordHash);
    if (outcome === "too many") {
      const { status, headers, body } = toPage(
        429,
        passwordPage(address, "Too many attempts. Wait a minute."),
      );
      return { status, headers: { ...headers, "retry-after": "60" }, body };
    }
    if (outcome === "wrong") return toPage(403, passwordPage(address, "This is not the password."));
    const headers = { location: address, "set-cookie": accessCookie(passwordHash, { path, isSecure }) };
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

/** After how many seconds a browser looks again for a page that is not made yet. */
const lookAgainSeconds = 10;

const prefix = fieldOf("");

/** What a visitor chose, as names with texts. */
const chosenIn = (search: URLSearchParams): [name: string, text: string][] =>
  [...search].flatMap(([name, text]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), text]] : []));

interface PageToRead {
  key: string;
  tokenHash: Uint8Array;
  link: FoundLink;
  page: FoundPage;
  path: string;
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
