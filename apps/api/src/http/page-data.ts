import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "../trpc/context.ts";
import { createCaller } from "../trpc/router.ts";
import type { FoundPage } from "./page-addresses.ts";

/** An answer that the page would otherwise ask for once its scripts run. */
export interface PageRead {
  procedure: string;
  input?: unknown;
  data: unknown;
}

/** Longer than this, no page is held back: what is missing then, it asks for itself. */
const maxWaitMs = 1_000;

type Call = ReturnType<typeof createCaller>;
/** Keeps an answer for the page, under the name and input with which the page would ask for it. */
type Keep = <Data>(procedure: string, input: object | undefined, answer: Promise<Data>) => Promise<Data>;

interface Reading {
  call: Call;
  keep: Keep;
  page: FoundPage;
  /** Whether the address carries values behind a question mark. */
  hasSearch: boolean;
}

/** What pages show first. A page that is not named here asks for itself. */
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
 * Reads what a page shows first, through the procedures that it would call: one round trip instead of three or four, and
 * nobody is shown what they may not read. What is refused or late is left out.
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
