import { useEffect, useState } from "react";
import type { ChartRows } from "../charts/chart-data.ts";
import { type OpenResult, openResult } from "./open-result.ts";

interface Reading {
  result: OpenResult | undefined;
  /** The first rows, if some are asked for. */
  rows: ChartRows | undefined;
  error: unknown;
}

/**
 * Opens a run's result and holds it open. While another run's is on its way, the one before stays. A chart asks for the
 * first rows too; the grid reads its own.
 */
export function useResult(runId: string | undefined, firstRows = 0): Reading {
  const [reading, setReading] = useState<Reading>({ result: undefined, rows: undefined, error: undefined });
  useEffect(() => {
    if (runId === undefined) return;
    let isWanted = true;
    const read = async () => {
      const result = await openResult(runId);
      const rows = firstRows > 0 ? await result.rows(0, firstRows) : [];
      if (isWanted) {
        setReading({
          result,
          rows: { fields: result.fields, rows, rowCount: result.rowCount },
          error: undefined,
        });
      } else result.close();
    };
    read().catch((error: unknown) => {
      if (isWanted) setReading((before) => ({ ...before, error }));
    });
    return () => {
      isWanted = false;
    };
  }, [runId, firstRows]);
  // The one before is closed once another is shown in its place.
  const { result } = reading;
  useEffect(() => () => result?.close(), [result]);
  return reading;
}
