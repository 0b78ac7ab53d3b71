import { AppError, type Caller, type PictureParameters, type ResultInfo } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getResult, getResultOfRun } from "../results/get-result.ts";
import { readResult } from "../results/read-result.ts";
import { getReference } from "./get-reference.ts";

interface NamedPicture extends PictureParameters {
  shortId: string;
  format: "svg" | "png";
  signal?: AbortSignal;
}

export interface Picture {
  title: string;
  info: ResultInfo;
  bytes: Uint8Array;
}

/** Draws the chart of a reference from a stored result, in an engine host. */
export async function drawReferencePicture(
  deps: Deps,
  caller: Caller,
  { shortId, run, signal, ...look }: NamedPicture,
): Promise<Picture> {
  const { title, visualization, currentQuery } = await getReference(deps, caller, { shortId });
  if (!currentQuery) throw new AppError("result_not_found", "This chart waits for its query.");
  if (!visualization || visualization.type === "table") throw noPicture();
  const info = await findResult(deps, caller, { run, shortId, queryId: currentQuery.id });
  const { pieces } = await readResult(deps, caller, info);
  const outcome = await deps.engines.drawPicture(
    {
      organizationId: caller.organizationId,
      picture: { ...look, title, visualization },
      result: { cut: info.cutBy !== null, read: () => pieces },
    },
    { signal },
  );
  switch (outcome.kind) {
    case "drawn":
      return { title, info, bytes: outcome.bytes };
    case "table":
      throw noPicture();
    case "failed":
      return throwDrawingFailure(outcome.failure, signal);
  }
}

const noPicture = () =>
  new AppError("invalid_request", "A table has no picture. Download its rows as CSV, JSON or Parquet.");

interface Wanted {
  run: string | undefined;
  shortId: string;
  queryId: string;
}

/** The result of a run of the chart's query, or what the page of the chart shows without values. */
async function findResult(
  deps: Deps,
  caller: Caller,
  { run, shortId, queryId }: Wanted,
): Promise<ResultInfo> {
  if (run !== undefined) {
    const info = await getResultOfRun(deps, caller, { id: run });
    if (info.queryId === queryId) return info;
    throw new AppError("not_found", "This run is of another query than the chart.");
  }
  try {
    return await getResult(deps, caller, { id: queryId, shortId, parameterValues: {} });
  } catch (error) {
    const codes = ["result_not_found", "result_expired", "missing_parameter_values"];
    if (error instanceof AppError && codes.includes(error.code))
      return getResult(deps, caller, { id: queryId });
    throw error;
  }
}

export function throwDrawingFailure(
  { code, message }: { code: string; message: string },
  signal: AbortSignal | undefined,
): never {
  switch (code) {
    case "out_of_memory":
    case "query_timeout":
      throw new AppError(
        "payload_too_large",
        "The result is too large to be drawn. Return fewer rows or columns.",
      );
    case "cancelled":
      signal?.throwIfAborted();
      throw new AppError("unavailable", message);
    default:
      throw new Error(`Drawing a chart failed: ${message}`);
  }
}
