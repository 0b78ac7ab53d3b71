import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { FilterValues } from "@querybell/domain";
import {
  type EmbedGrant,
  fieldOf,
  hashEmbedValues,
  hashScope,
  newPageToken,
  readGrant,
  readTokenHash,
  verifyEmbedToken,
} from "@querybell/public-pages";
import {
  type Answer,
  compress,
  etagOf,
  notFound,
  nothingAllowed,
  type StoredTab,
  toCompressed,
  toPage,
  toStored,
  toText,
  withRefresh,
} from "./answers.ts";
import { embedScript, frameScript } from "./frame-scripts.ts";
import { createByteCache, createShortCache } from "./page-cache.ts";
import type { EmbedPage, EmbedSession, PageStore } from "./page-store.ts";
import type { PageView } from "./render-filters.ts";
import { renderFrame, renderMessage } from "./render-frame.ts";

interface FramesOptions {
  store: PageStore;
  baseUrl: string;
  /** How long a process answers without asking whether a session still counts. */
  checkEveryMs: number;
  now: () => Date;
}

/** The path of a frame: its token and, for a picture, the id of its page and the name of the file. */
const framePath =
  /^\/e\/([A-Za-z0-9_-]{32})(?:\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([a-z0-9.-]{1,40}))?$/;
const cacheBytes = 32 * 1024 ** 2;
/** How long a request waits for a page that is being made, before the browser is told to ask again. */
const maxWaitMs = 2_500;
/** More requests than this are answered at once. */
const maxWaiting = 500;

interface Session extends EmbedSession {
  grant: EmbedGrant;
}

interface OpenFrame {
  key: string;
  hash: Uint8Array;
  session: Session;
  path: string;
  view: PageView;
}

/**
 * Frames in pages of customers. Their servers exchange a signed token for an address; the token itself stays on the server,
 * with the values that the visitor must not see. This process runs nothing: it asks for pages, and a worker makes them.
 */
export function createFrames({ store, baseUrl, checkEveryMs, now }: FramesOptions) {
  const keys = createShortCache<string | undefined>({ lifetimeMs: checkEveryMs, maxEntries: 10_000 });
  const sessions = createShortCache<Session | undefined>({ lifetimeMs: checkEveryMs, maxEntries: 10_000 });
  const pages = createByteCache<StoredTab>({ maxBytes: cacheBytes, sizeOf: ({ body }) => body.length });
  const waiting = new Map<string, Promise<EmbedPage | undefined>>();

  const findSession = async (hash: Uint8Array): Promise<Session | undefined> => {
    const session = await store.findSession(hash);
    return session && { ...session, grant: readGrant(session.token) };
  };

  const exchange = async ({ headers: { authorization = "" } }: IncomingMessage): Promise<Answer> => {
    const [, token = ""] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization) ?? [];
    const findKey = (id: string) => keys.get(id, () => store.findEmbeddingKey(id));
    const verified = await verifyEmbedToken(token, { findKey, now: now() });
    if (verified.kind === "refused") return toError(401, "invalid_token", verified.reason);
    const { grant, publicKey } = verified;
    const { token: frameToken, tokenHash } = newPageToken();
    const outcome = await store.openSession({
      ...{ tokenHash, scopeHash: hashScope(grant), token, grant, publicKey },
    });
    switch (outcome) {
      case "refused":
        return toError(401, "invalid_token", "Its embedding key does not count any more.");
      case "limited":
        return toError(
          429,
          "rate_limited",
          "Too many frames were opened in the last minute. Try again later.",
        );
      case "opened":
        return toJson(201, { url: `${baseUrl}/e/${frameToken}`, expiresAt: grant.expiresAt.toISOString() });
    }
  };

  const showFrame = async (frame: OpenFrame, request: IncomingMessage): Promise<Answer> => {
    const { key, hash, session, path, view } = frame;
    const { origins, grant } = session;
    const valuesHash = hashEmbedValues(grant, view.given);
    if (!valuesHash) return notFound;
    const say = (text: string, state: "waiting" | "failed") =>
      renderMessage(text, { path, view, origins, state });
    const page = await waitForPage(`${key} ${Buffer.from(valuesHash).toString("hex")}`, () =>
      store.requestPage(hash, { valuesHash, values: view.given }),
    );
    if (!page) return notFound;
    switch (page.state) {
      case "requested":
      case "running":
        return withRefresh(toPage(200, say("This is being computed.", "waiting")), 1);
      case "limited":
        return withRefresh(
          toPage(429, say("Many people look at this just now. Wait a moment.", "waiting")),
          10,
        );
      case "failed":
        return toPage(200, say(page.failure ?? "This cannot be shown now.", "failed"));
      case "ready":
        break;
    }
    const { pageId, version } = page;
    const cacheKey = [key, pageId, version, view.theme, view.tab, ...origins].join(" ");
    const shown = await pages.get(cacheKey, async () => {
      const read = await store.readEmbedPage(hash, pageId);
      if (!read) return undefined;
      const files = `${path}/${pageId}/`;
      const rendered = renderFrame({ content: read.content, path, files, view, origins });
      const { text, contentSecurityPolicy } = rendered;
      return { etag: etagOf(text), contentSecurityPolicy, body: await compress(text) };
    });
    return shown ? toStored(shown, request) : notFound;
  };

  /** Asks until the page is made, for a while. Those who wait for the same ask together. */
  const waitForPage = (key: string, ask: () => Promise<EmbedPage | undefined>) => {
    const begun = waiting.get(key);
    if (begun) return begun;
    const until = performance.now() + (waiting.size < maxWaiting ? maxWaitMs : 0);
    const promise = askUntil(until, ask).finally(() => waiting.delete(key));
    waiting.set(key, promise);
    return promise;
  };

  const showFile = async (
    { hash, pageId, name }: { hash: Uint8Array; pageId: string; name: string },
    request: IncomingMessage,
  ): Promise<Answer> => {
    const file = await store.readEmbedFile(hash, { pageId, name });
    if (!file) return notFound;
    const headers = {
      "content-type": "image/svg+xml; charset=utf-8",
      "content-security-policy": nothingAllowed,
      "cache-control": "private, no-cache",
      etag: `"${file.version}"`,
    };
    return toCompressed({ status: 200, headers, body: file.bytes }, request);
  };

  return {
    async answer(
      request: IncomingMessage,
      { path, search }: { path: string; search: string },
    ): Promise<Answer> {
      if (request.method === "POST") return path === "/e" ? exchange(request) : notFound;
      if (path === embedScript.path) return embedScriptAnswer;
      if (path === frameScript.path) return frameScriptAnswer;
      const [, token = "", pageId, name] = framePath.exec(path) ?? [];
      const hash = readTokenHash(token);
      if (!hash) return notFound;
      const key = Buffer.from(hash).toString("hex");
      const session = await sessions.get(key, () => findSession(hash));
      if (!session) return notFound;
      if (pageId !== undefined && name !== undefined) return showFile({ hash, pageId, name }, request);
      const view = readView(search);
      return view ? showFrame({ key, hash, session, path, view }, request) : notFound;
    },
  };
}

async function askUntil(
  until: number,
  ask: () => Promise<EmbedPage | undefined>,
): Promise<EmbedPage | undefined> {
  for (let waitMs = 50; ; waitMs = Math.min(400, waitMs * 1.4)) {
    const page = await ask();
    if (page?.state !== "requested" && page?.state !== "running") return page;
    if (performance.now() + waitMs > until) return page;
    await delay(waitMs);
  }
}

/** Undefined if a value is no text that can be stored, or is given twice. An empty field has its default. */
function readView(search: string): PageView | undefined {
  const parameters = new URLSearchParams(search);
  const theme = parameters.get("theme");
  const given = [...parameters].filter(([name, value]) => name.startsWith(fieldOf("")) && value !== "");
  const values = FilterValues.safeParse(
    Object.fromEntries(given.map(([name, value]) => [name.slice(fieldOf("").length), value])),
  ).data;
  if (!values || Object.keys(values).length < given.length) return undefined;
  return {
    theme: theme === "light" || theme === "dark" ? theme : undefined,
    tab: parameters.get("tab")?.slice(0, 100),
    given: values,
  };
}

const toJson = (status: number, value: object): Answer =>
  toText(status, JSON.stringify(value), { "content-type": "application/json; charset=utf-8" });

const toError = (status: number, code: string, message: string): Answer =>
  toJson(status, { error: { code, message } });

const toScript = (bytes: Buffer, cacheControl: string): Answer => ({
  status: 200,
  headers: {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": cacheControl,
    // Pages of other sites load it.
    "cross-origin-resource-policy": "cross-origin",
  },
  body: bytes,
});

const embedScriptAnswer = toScript(embedScript.bytes, "public, max-age=3600");
const frameScriptAnswer = toScript(frameScript.bytes, "public, max-age=31536000, immutable");
