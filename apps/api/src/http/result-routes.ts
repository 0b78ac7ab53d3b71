import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Deps } from "@querybell/core";
import { getResultOfRun, readResult, type StoredBytes } from "@querybell/core/results";
import { AppError, type Caller, Id, type ResultInfo } from "@querybell/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { inRequestSlot, limitRate, requireMember } from "../trpc/call-checks.ts";
import type { Context, CreateContext } from "../trpc/context.ts";
import { abortedWhenClosed } from "./aborted-when-closed.ts";
import { acceptsGzip, matchesEtag } from "./negotiation.ts";
import { toParquet } from "./parquet/to-parquet.ts";
import { toCsv } from "./to-csv.ts";

/**
 * Serves the cached result of a run: `/api/runs/<id>/result` sends the stored bytes, `.json`, `.csv` and `.parquet`
 * send a file to download.
 */
export function addResultRoutes(app: FastifyInstance, createContext: CreateContext): void {
  const route = (ending: "" | ".json" | ".csv" | ".parquet") =>
    app.get<{ Params: { runId: string } }>(`/api/runs/:runId/result${ending}`, async (request, reply) => {
      const found = await getResult(await createContext(request), request.params.runId);
      if (ending === "") return sendStoredResult(request, reply, found);
      const named = () =>
        reply.header("content-disposition", `attachment; filename="result-${found.info.runId}${ending}"`);
      if (ending === ".csv") return sendCsv(request, named(), found);
      // A refusal is not a file, so the name is set once there is one.
      if (ending === ".parquet") return sendParquet(request, reply, { ...found, named });
      return sendStoredResult(request, named(), found);
    });
  route("");
  route(".json");
  route(".csv");
  route(".parquet");
}

interface FoundResult {
  deps: Deps;
  caller: Caller;
  info: ResultInfo;
}

/** Gets the result of a run, after the same checks as the procedure `runs.result`. */
async function getResult(context: Context, runId: string): Promise<FoundResult> {
  limitRate(context);
  return inRequestSlot(context, undefined, async () => {
    const { deps } = context;
    const caller = requireMember(context, "queries:read");
    const { data: id } = Id.safeParse(runId);
    if (!id) throw new AppError("invalid_request", "The id of a run is a UUID.");
    return { deps, caller, info: await getResultOfRun(deps, caller, { id }) };
  });
}

/** Sends the stored gzip bytes, decompressed if the client does not accept gzip. */
export async function sendStoredResult(
  request: FastifyRequest,
  reply: FastifyReply,
  found: FoundResult,
): Promise<FastifyReply> {
  const compressed = acceptsGzip(request.headers["accept-encoding"]);
  const etag = `"${found.info.etag}${compressed ? "-gzip" : ""}"`;
  addCacheHeaders(reply, etag).header("vary", "accept-encoding");
  if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  const stored = await readStored(found);
  reply.type("application/json; charset=utf-8");
  if (!compressed) return reply.send(inflate(stored));
  reply.header("content-encoding", "gzip").header("content-length", stored.byteCount);
  // A small one needs no stream.
  return reply.send(stored.whole ?? toStream(stored));
}

async function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  found: FoundResult,
): Promise<FastifyReply> {
  const etag = `"${found.info.etag}-csv"`;
  addCacheHeaders(reply, etag);
  if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  const json = inflate(await readStored(found));
  return reply.type("text/csv; charset=utf-8; header=present").send(Readable.from(toCsv(json)));
}

async function sendParquet(
  request: FastifyRequest,
  reply: FastifyReply,
  { named, ...found }: FoundResult & { named: () => FastifyReply },
): Promise<FastifyReply> {
  const etag = `"${found.info.etag}-parquet"`;
  if (matchesEtag(request.headers["if-none-match"], etag)) {
    return addCacheHeaders(reply, etag).code(304).send();
  }
  const read = async () => inflate(await readStored(found));
  const file = await toParquet(read, abortedWhenClosed(reply));
  return addCacheHeaders(named(), etag)
    .type("application/vnd.apache.parquet")
    .send(Readable.from(file, { objectMode: false }));
}

// Browsers may cache a result and must revalidate it each time.
const addCacheHeaders = (reply: FastifyReply, etag: string): FastifyReply =>
  reply.header("etag", etag).header("cache-control", "private, no-cache");

const readStored = ({ deps, caller, info }: FoundResult): Promise<StoredBytes> =>
  readResult(deps, caller, info);

/** Not in object mode, which would buffer 16 chunks of any size. */
const toStream = ({ pieces }: StoredBytes): Readable => Readable.from(pieces, { objectMode: false });

/** Fails if its source fails, so that a truncated response does not look complete. */
const inflate = (stored: StoredBytes): Readable => pipeline(toStream(stored), createGunzip(), () => {});
