import { setTimeout as wait } from "node:timers/promises";
import { AppError, type LocatePermalink } from "@querybell/domain";
import type { Context } from "../trpc/context.ts";
import { toAppErrorOrInternal } from "../trpc/error-shape.ts";
import { createCaller } from "../trpc/router.ts";
import type { FoundPage } from "./page-addresses.ts";

/** An answer that the page would otherwise request once its scripts run. */
export interface PageRead {
  procedure: string;
  input?: unknown;
  data: unknown;
}

/** The page does not wait longer than this for data, except for whether its subject exists. It requests the rest itself. */
const maxWaitMs = 1_000;

/** What a page is about, in words. */
export interface PageHeading {
  title: string;
  description?: string | null;
  /** The beginning of a query's SQL: what is seen of it first. */
  sql?: string;
}

/** More than fits into the editor of a query's page before it is scrolled. */
const maxEarlyLetters = 4_000;

type Call = ReturnType<typeof createCaller>;
/** Adds an answer to the page, with the procedure and input that the page would request. */
type Keep = <Data>(procedure: string, input: object | undefined, answer: Promise<Data>) => Promise<Data>;

interface Reading {
  call: Call;
  keep: Keep;
  /** Like `keep`, for what the page is about. If that does not exist, the page is answered with 404. */
  keepSubject: Keep;
  /** The heading that is written into the page, for those that are opened by link. */
  setHeading: (heading: PageHeading) => void;
  params: FoundPage["params"];
  /** Whether the address has a query string. */
  hasSearch: boolean;
}

type Reader = (reading: Reading) => Promise<unknown>;

const readReference: Reader = ({ call, keepSubject, params: { shortId = "" } }) =>
  keepSubject("references.get", { shortId }, call.references.get({ shortId }));
const readAutomation: Reader = ({ call, keepSubject, params: { automationId: id = "" } }) =>
  keepSubject("automations.get", { id }, call.automations.get({ id }));
const readEndpoint: Reader = ({ call, keepSubject, params: { endpointId: id = "" } }) =>
  keepSubject("webhookEndpoints.get", { id }, call.webhookEndpoints.get({ id }));
const readDestination: Reader = ({ call, keepSubject, params: { destinationId: id = "" } }) =>
  keepSubject("destinations.get", { id }, call.destinations.get({ id }));

/** The data that each page shows first. Pages without an entry request their data themselves. */
const readers: Readonly<Record<string, Reader>> = {
  "/q/$shortId": async ({ call, keep, keepSubject, setHeading, params: { shortId = "" }, hasSearch }) => {
    const reference = await keepSubject("references.get", { shortId }, call.references.get({ shortId }));
    const { currentQuery } = reference;
    if (!currentQuery) return;
    setHeading(reference);
    if (hasSearch) return;
    const input = { id: currentQuery.id, shortId, parameterValues: {} };
    await keep("queries.findResult", input, call.queries.findResult(input));
  },
  "/q/$shortId/edit": readReference,
  "/chats/$shortId": ({ call, keepSubject, params: { shortId = "" } }) =>
    keepSubject("automationRuns.findChat", { shortId }, call.automationRuns.findChat({ shortId })),
  "/queries/$queryId": ({ call, keep, keepSubject, setHeading, params: { queryId: id = "" } }) =>
    Promise.allSettled([
      keepSubject("queries.get", { id }, call.queries.get({ id })).then(({ name, sql }) => {
        // The page names a query without a name by its SQL.
        if (name !== null) setHeading({ title: name, sql: sql.slice(0, maxEarlyLetters) });
      }),
      keep("queries.findResult", { id }, call.queries.findResult({ id })),
      keep("drafts.find", { queryId: id }, call.drafts.find({ queryId: id })),
      keep("databases.list", undefined, call.databases.list()),
    ]),
  "/dashboards/$dashboardId": async ({ call, keepSubject, setHeading, params: { dashboardId: id = "" } }) =>
    setHeading(await keepSubject("dashboards.get", { id }, call.dashboards.get({ id }))),
  "/automations/$automationId": readAutomation,
  "/automations/$automationId/edit": readAutomation,
  "/settings/destinations/$destinationId": readDestination,
  "/settings/destinations/$destinationId/edit": readDestination,
  "/settings/webhooks/endpoints/$endpointId": readEndpoint,
  "/settings/webhooks/endpoints/$endpointId/edit": readEndpoint,
  "/settings/webhooks/deliveries/$deliveryId": ({ call, keepSubject, params: { deliveryId: id = "" } }) =>
    keepSubject("webhookDeliveries.get", { id }, call.webhookDeliveries.get({ id })),
  "/settings/databases/$databaseId": ({ call, keepSubject, params: { databaseId = "" } }) =>
    keepSubject("databases.describe", undefined, describeDatabasesWith(call, databaseId)),
};

/** What the page of a database requests: all of them, among which it looks for its own. */
async function describeDatabasesWith(call: Call, id: string) {
  const databases = await call.databases.describe();
  if (!databases.some((one) => one.id === id)) throw new AppError("not_found", "There is no such database.");
  return databases;
}

interface PageAnswer {
  /**
   * 404 if what the address names does not exist in the organization of the session, or may not be seen by the caller. A
   * permalink of another of the person's organizations is answered with the page that offers to switch to it.
   */
  status: 200 | 404;
  reads: PageRead[];
  heading?: PageHeading | undefined;
}

/** Permalinks and chats: for everybody who is not a member of an organization, they do not exist. */
const isForMembersOnly = ({ address }: FoundPage) => /^\/(?:q|chats)\//.test(address);

/** The pages that offer to switch to the organization of the permalink. */
const permalinks: Readonly<Record<string, LocatePermalink["kind"]>> = {
  "/q/$shortId": "reference",
  "/chats/$shortId": "chat",
};

/** Whether the permalink is in another of the person's organizations. */
async function isElsewhere(call: Call, keep: Keep, { address, params }: FoundPage): Promise<boolean> {
  const [kind, { shortId = "" }] = [permalinks[address], params];
  if (!kind) return false;
  const input = { kind, shortId };
  return (await keep("me.locatePermalink", input, call.me.locatePermalink(input))) !== null;
}

/**
 * Reads the data that a page shows first: one round trip instead of three or four. It calls the procedures that the page
 * would call, so access is checked. Answers that fail or are late are left out. Without a session the status depends on
 * the kind of page alone: whether something exists is not disclosed before signing in.
 */
export async function readPage(context: Context, page: FoundPage, hasSearch: boolean): Promise<PageAnswer> {
  const isRefused = isForMembersOnly(page) && !context.caller;
  if (!context.person) return { status: isRefused ? 404 : 200, reads: [{ procedure: "me.get", data: null }] };
  const reads: PageRead[] = [];
  const keep: Keep = async (procedure, input, answer) => {
    const data = await answer;
    reads.push({ procedure, ...(input && { input }), data });
    return data;
  };
  let isMissing: Promise<boolean> = Promise.resolve(false);
  let heading: PageHeading | undefined;
  const keepSubject: Keep = (procedure, input, answer) => {
    isMissing = answer.then(() => false, meansMissing);
    return keep(procedure, input, answer);
  };
  const call = createCaller(context);
  const done = new AbortController();
  const reading = Promise.allSettled([
    keep("me.get", undefined, call.me.get()),
    keep("notifications.unread", undefined, call.notifications.unread()),
    keep("library.undoableDeletion", undefined, call.library.undoableDeletion()),
    readers[page.address]?.({
      call,
      keep,
      keepSubject,
      params: page.params,
      hasSearch,
      setHeading: (found) => {
        heading = found;
      },
    }),
  ]);
  const late = wait(maxWaitMs, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([reading, late]);
  done.abort();
  const isNotHere = isRefused || (await isMissing);
  const isFound = !isNotHere || (await isElsewhere(call, keep, page).catch(() => false));
  return { status: isFound ? 200 : 404, reads: [...reads], heading };
}

/** A malformed id counts as missing too. */
function meansMissing(error: unknown): boolean {
  const { code } = toAppErrorOrInternal(error);
  return code === "not_found" || code === "invalid_request";
}
