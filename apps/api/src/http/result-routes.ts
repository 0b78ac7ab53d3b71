import { finished, Readable } from "node:stream";
import type { Deps } from "@querybell/core";
import { keepRights } from "@querybell/core/access";
import { getDifferences, getPastResultOfRun } from "@querybell/core/past-results";
import {
  type DownloadFormat,
  findResultsOfRuns,
  getExpiredResultOfRun,
  getResultOfRun,
  readResult,
  recordDownload,
  type StoredBytes,
  toCsv,
  toParquet,
  toStream,
  unzipResult,
} from "@querybell/core/results";
import {
  AppError,
  type Caller,
  CompareResults,
  FairSlots,
  Id,
  maxDashboardCharts,
  type ResultInfo,
  type Scope,
  toDownloadName,
} from "@querybell/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { z } from "zod";
import {
  acquireSlot,
  type Context,
  type CreateContext,
  inRequestSlot,
  limitRate,
  requireMember,
} from "../trpc/context.ts";
import { abortedWhenClosed } from "./connections.ts";
import { attachmentNamed } from "./file-name.ts";

// A conversion holds part of the result in memory until the client has read the file: for Parquet a row group of some
// ten megabytes, for CSV about two megabytes.
const waiting = { maxWaitingPerOrganization: 50, maxWaiting: 500, waitMs: 30_000 };
const parquetLimits = { size: 8, maxPerOrganization: 2, ...waiting };
const csvLimits = { size: 32, maxPerOrganization: 8, ...waiting };

/**
 * Serves the cached result of a run: `/api/runs/<id>/result` sends the stored bytes, `.json`, `.csv` and `.parquet`
 * send a file to download, named after `?name=` and its day. `/api/runs/<id>/expired-result` is for the page of a chart: it also sends a result that has
 * expired, as long as the organization keeps it, and refuses API keys. So do `/api/runs/<id>/past-result` and its files, which
 * are kept as history, and `/api/runs/<id>/differences`, the rows that differ from those of an earlier run. `/api/results?runs=<id>,<id>` sends the results of
 * the charts of a dashboard at once.
 */
export function addResultRoutes(app: FastifyInstance, createContext: CreateContext): void {
  const parquetSlots = new FairSlots(parquetLimits);
  const csvSlots = new FairSlots(csvLimits);
  const route = (kind: keyof typeof getters, format?: DownloadFormat) =>
    app.get<{ Params: { runId: string }; Querystring: { name?: unknown; from?: unknown; key?: unknown } }>(
      `/api/runs/:runId/${kind}${format ? `.${format}` : ""}`,
      async (request, reply) => {
        const signal = abortedWhenClosed(reply);
        const { runId } = request.params;
        const found = await getters[kind](await createContext(request), { ...request.query, runId, signal });
        const download = { ...found, format, name: request.query.name };
        if (format === "csv") return sendCsv(reply, { ...download, slots: csvSlots, signal });
        if (format === "parquet") return sendParquet(reply, { ...download, slots: parquetSlots, signal });
        return sendStoredResult(request, reply, download);
      },
    );
  app.get<{ Params: { runId: string } }>("/api/runs/:runId/expired-result", async (request, reply) => {
    const signal = abortedWhenClosed(reply);
    const context = await createContext(request);
    const { runId } = request.params;
    return sendStoredResult(request, reply, await getExpiredResult(context, { runId, signal }));
  });
  app.get<{ Querystring: { runs?: unknown } }>("/api/results", async (request, reply) => {
    const signal = abortedWhenClosed(reply);
    return sendResults(reply, await createContext(request), { runs: request.query.runs, signal });
  });
  for (const kind of ["result", "past-result", "differences"] as const) {
    for (const format of [undefined, "json", "csv", "parquet"] as const) route(kind, format);
  }
}

interface FoundResult {
  deps: Deps;
  caller: Caller;
  info: ResultInfo;
  /** Absent: it is stored. */
  read?: () => StoredBytes;
}

interface Download extends FoundResult {
  /** Undefined if the answer is not a file. */
  format?: DownloadFormat | undefined;
  /** What the file is named after, as it was sent. */
  name?: unknown;
}

interface Conversion extends Download {
  slots: FairSlots;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
}

interface WantedResult {
  runId: string;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
}

/** Gets the result of a run, after the same checks as the procedure `runs.result`. */
const getResult = (context: Context, wanted: WantedResult): Promise<FoundResult> =>
  findForRun(context, { ...wanted, scope: "queries:read", read: getResultOfRun });

/** Without a scope: no API key may do this. */
const getExpiredResult = (context: Context, wanted: WantedResult): Promise<FoundResult> =>
  findForRun(context, { ...wanted, scope: undefined, read: getExpiredResultOfRun });

/** A result that is kept as history. No API key may read it. */
const getPastResult = (context: Context, wanted: WantedResult): Promise<FoundResult> =>
  findForRun(context, { ...wanted, scope: undefined, read: getPastResultOfRun });

/** How the result of a run differs from that of the run `?from=`, by the columns `?key=`. No API key may ask. */
async function getDifferencesOfRun(
  context: Context,
  { runId, signal, from, key }: WantedResult & { from?: unknown; key?: unknown },
): Promise<FoundResult> {
  limitRate(context);
  const caller = requireMember(context, { access: "viewer", scope: undefined });
  const columns = key === undefined ? undefined : [key].flat();
  const { data: input } = CompareResults.safeParse({ from, to: runId, key: columns });
  if (!input) {
    const text =
      "Name two runs by their ids, ?from= the earlier one, and the columns of the key, each as ?key=.";
    throw new AppError("invalid_request", text);
  }
  const { deps } = context;
  return inRequestSlot(context, signal, async () => ({
    ...{ deps, caller },
    ...(await getDifferences(deps, caller, input, signal)),
  }));
}

const getters = { result: getResult, "past-result": getPastResult, differences: getDifferencesOfRun };

interface Finding {
  runId: string;
  signal: AbortSignal;
  scope: Scope | undefined;
  read: typeof getResultOfRun;
}

async function findForRun(context: Context, { runId, signal, scope, read }: Finding): Promise<FoundResult> {
  limitRate(context);
  return inRequestSlot(context, signal, async () => {
    const { deps } = context;
    const caller = requireMember(context, { access: "viewer", scope });
    const { data: id } = Id.safeParse(runId);
    if (!id) throw new AppError("invalid_request", "The id of a run is a UUID.");
    return { deps, caller, info: await read(deps, caller, { id }) };
  });
}

const RunIds = z.array(Id).min(1).max(maxDashboardCharts);

/**
 * Sends the results of several runs: for each a line of JSON with its run and the number of its bytes, and then these bytes,
 * compressed with gzip as they are stored. Runs without a result that the caller may see are left out.
 */
async function sendResults(
  reply: FastifyReply,
  context: Context,
  { runs, signal }: { runs: unknown; signal: AbortSignal },
): Promise<FastifyReply> {
  limitRate(context);
  const { data: runIds } = RunIds.safeParse(typeof runs === "string" ? runs.split(",") : undefined);
  if (!runIds) {
    const text = `Name 1 to ${maxDashboardCharts} runs by their ids, separated by commas.`;
    throw new AppError("invalid_request", text);
  }
  const { deps } = context;
  const found = await inRequestSlot(context, signal, async () => {
    const caller = requireMember(context, { access: "viewer", scope: undefined });
    return { caller, results: await findResultsOfRuns(deps, caller, { runIds }) };
  });
  async function* frames() {
    for (const { runId } of found.results) {
      const stored = await readResult(deps, found.caller, { runId });
      yield Buffer.from(`${JSON.stringify({ runId, bytes: stored.byteCount })}\n`);
      yield* stored.pieces;
    }
  }
  return reply
    .type("application/octet-stream")
    .header("cache-control", "private, no-store")
    .send(Readable.from(keepRights(frames()), { objectMode: false }));
}

/** Sends the stored gzip bytes, decompressed if the client does not accept gzip. */
export async function sendStoredResult(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
): Promise<FastifyReply> {
  const compressed = acceptsGzip(request.headers["accept-encoding"]);
  const etag = `"${download.info.etag}${compressed ? "-gzip" : ""}"`;
  reply.header("vary", "accept-encoding");
  if (matchesEtag(request.headers["if-none-match"], etag)) return sendNotModified(reply, etag);
  const stored = await readStored(download);
  await startFile(reply, download, etag);
  reply.type("application/json; charset=utf-8");
  if (!compressed) return reply.send(unzipResult(stored, download.info));
  reply.header("content-encoding", "gzip").header("content-length", stored.byteCount);
  // A small one needs no stream.
  return reply.send(stored.whole ?? toStream(stored));
}

async function sendCsv(reply: FastifyReply, conversion: Conversion): Promise<FastifyReply> {
  const etag = `"${conversion.info.etag}-csv"`;
  if (matchesEtag(reply.request.headers["if-none-match"], etag)) return sendNotModified(reply, etag);
  await holdSlot(reply, conversion);
  const json = unzipResult(await readStored(conversion), conversion.info);
  await startFile(reply, conversion, etag);
  return reply
    .type("text/csv; charset=utf-8; header=present")
    .send(Readable.from(toCsv(json), { objectMode: false }));
}

async function sendParquet(reply: FastifyReply, conversion: Conversion): Promise<FastifyReply> {
  const etag = `"${conversion.info.etag}-parquet"`;
  if (matchesEtag(reply.request.headers["if-none-match"], etag)) return sendNotModified(reply, etag);
  await holdSlot(reply, conversion);
  const read = async () => unzipResult(await readStored(conversion), conversion.info);
  const file = await toParquet(read, conversion.signal);
  await startFile(reply, conversion, etag);
  return reply.type("application/vnd.apache.parquet").send(Readable.from(file, { objectMode: false }));
}

/** Waits for a slot, which is held until the answer is sent or the client has left. */
async function holdSlot(reply: FastifyReply, { slots, caller, signal }: Conversion): Promise<void> {
  finished(reply.raw, await acquireSlot(slots, caller, signal));
}

const sendNotModified = (reply: FastifyReply, etag: string): FastifyReply =>
  addCacheHeaders(reply, etag).code(304).send();

/** Only once there is a file: a refusal must not look like one. A file is recorded in the audit log. */
async function startFile(
  reply: FastifyReply,
  { deps, caller, info, format, name }: Download,
  etag: string,
): Promise<void> {
  if (format) {
    await recordDownload(deps, caller, { info, format });
    const named = typeof name === "string" ? toDownloadName(name, info.completedAt, `.${format}`) : undefined;
    reply.header("content-disposition", attachmentNamed(named ?? `result-${info.runId}.${format}`));
  }
  addCacheHeaders(reply, etag);
}

// Browsers may cache a result and must revalidate it each time.
const addCacheHeaders = (reply: FastifyReply, etag: string): FastifyReply =>
  reply.header("etag", etag).header("cache-control", "private, no-cache");

const readStored = async ({ deps, caller, info, read }: FoundResult): Promise<StoredBytes> =>
  read ? read() : readResult(deps, caller, info);

/** Whether an Accept-Encoding header accepts gzip, by name or by `*`, with a weight above zero. */
const acceptsGzip = (header: string | undefined): boolean =>
  new Negotiator({ headers: { "accept-encoding": header } }).encodings(["gzip"]).includes("gzip");

/** Whether an If-None-Match header contains this ETag (weak comparison, RFC 9110). */
function matchesEtag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
