import { type ChartRows, rowsWithin } from "@querybell/charts/chart-data";
import { useEffect, useState } from "react";
import { reportFailedCall, useOnReconnect } from "../frame/connection.ts";
import { type OpenResult, openResult, type ResultState } from "./open-result.ts";

interface Reading {
  result: OpenResult | undefined;
  /** The first rows, if some are asked for. */
  rows: ChartRows | undefined;
  error: unknown;
}

interface ReadResult extends Reading {
  /** Reads it again. After a lost connection that is done without asking. */
  retry: () => void;
}

/** The maximum of one answer of the worker, which is decoded in a few milliseconds. */
const maxBlockValues = 20_000;

/** Reads in blocks, so that no single one delays a frame. */
export async function readFirst({ fields, rowCount, rows, allRows }: OpenResult, most: number) {
  const columns = Math.max(1, fields.length);
  const end = Math.min(rowCount, rowsWithin(most, fields.length));
  if (allRows && end === rowCount) return allRows;
  const blockRows = Math.max(1, Math.floor(maxBlockValues / columns));
  const blocks: (readonly unknown[])[][] = [];
  for (let from = 0; from < end; from += blockRows)
    blocks.push(await rows(from, Math.min(end, from + blockRows)));
  return blocks.flat();
}

/**
 * Opens a run's result and keeps it open. While the result of another run is loading, the previous one stays.
 * For charts it also reads the first rows; the grid reads its rows itself.
 */
export function useResult(
  runId: string | undefined,
  firstRows = 0,
  state: ResultState = "current",
): ReadResult {
  const [reading, setReading] = useState<Reading>({ result: undefined, rows: undefined, error: undefined });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (runId === undefined) return;
    let isWanted = true;
    const read = async () => {
      const result = await openResult(runId, state);
      const rows = await readFirst(result, firstRows);
      if (isWanted) {
        setReading({
          result,
          rows: { fields: result.fields, rows, rowCount: result.rowCount },
          error: undefined,
        });
      } else result.close();
    };
    read().catch((error: unknown) => {
      reportFailedCall(error);
      if (isWanted) setReading((before) => ({ ...before, error }));
    });
    return () => {
      isWanted = false;
    };
  }, [runId, firstRows, state, attempt]);
  const retry = () => setAttempt((before) => before + 1);
  useOnReconnect(() => reading.error !== undefined && retry());
  // The previous result is closed once the next one is shown.
  const { result } = reading;
  useEffect(() => () => result?.close(), [result]);
  return { ...reading, retry };
}
