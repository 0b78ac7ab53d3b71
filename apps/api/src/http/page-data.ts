import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "../trpc/context.ts";
import { createCaller } from "../trpc/router.ts";
import type { FoundPage } from "./page-addresses.ts";

/** An answer that the page would otherwise request once its scripts run. */
export interface PageRead {
  procedure: string;
  input?: unknown;
  data: unknown;
}

/** The page is sent after this time at the latest. It requests missing data itself. */
const maxWaitMs = 1_000;

type Call = ReturnType<typeof createCaller>;
/** Adds an answer to the page, with the procedure and input that the page would request. */
type Keep = <Data>(procedure: string, input: object | undefined, answer: Promise<Data>) => Promise<Data>;

interface Reading {
  call: Call;
  keep: Keep;
  page: FoundPage;
  /** Whether the address has a query string. */
  hasSearch: boolean;
}

/** The data that each page shows first. Pages without an entry request their data themselves. */
const readings: Readonly<Record<string, (reading: Reading) => Promise<unknown>>> = {
  "/q/$shortId": async ({ call, keep, page: { params }, hasSearch }) => {
    const { shortId = "" } = params;
    const { currentQuery } = await keep("references.get", { shortId }, call.references.get({ shortId }));
    if (!currentQuery || hasSearch) return;
    const input = { id: currentQuery.id, shortId, parameterValues: {} };
    await keep("queries.result", input, call.queries.result(input));
  },
  "/queries/$queryId": ({ call, keep, page: { params } }) => {
    const { queryId: id = "" } = params;
    return Promise.allSettled([
      keep("queries.get", { id }, call.queries.get({ id })),
      keep("queries.result", { id }, call.queries.result({ id })),
      keep("databases.list", undefined, call.databases.list()),
    ]);
  },
};

/**
 * Reads the data that a page shows first: one round trip instead of three or four. It calls the procedures that the page
 * would call, so access is checked. Answers that fail or are late are left out.
 */
export async function readPageData(
  context: Context,
  page: FoundPage,
  hasSearch: boolean,
): Promise<PageRead[]> {
  if (!context.person) return [{ procedure: "me.get", data: null }];
  const reads: PageRead[] = [];
  const keep: Keep = async (procedure, input, answer) => {
    const data = await answer;
    reads.push({ procedure, ...(input && { input }), data });
    return data;
  };
  const call = createCaller(context);
  const done = new AbortController();
  const reading = Promise.allSettled([
    keep("me.get", undefined, call.me.get()),
    keep("notifications.unread", undefined, call.notifications.unread()),
    readings[page.address]?.({ call, keep, page, hasSearch }),
  ]);
  const late = wait(maxWaitMs, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([reading, late]);
  done.abort();
  return [...reads];
}
