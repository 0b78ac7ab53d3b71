import { useEffect, useState } from "react";
import type { ChartRows } from "../charts/chart-data.ts";
import { maxChartRows } from "../charts/chart-data.ts";
import { type OpenResult, openResult } from "./open-result.ts";

interface Reading {
  result: OpenResult | undefined;
  /** The first rows, for a chart. */
  rows: ChartRows | undefined;
  error: unknown;
}

/** Opens a run's result and holds it open. While another run's is on its way, the one before stays. */
export function useResult(runId: string | undefined): Reading {
  const [reading, setReading] = useState<Reading>({ result: undefined, rows: undefined, error: undefined });
  useEffect(() => {
    if (runId === undefined) return;
    let isWanted = true;
    const read = async () => {
      const result = await openResult(runId);
      const rows = await result.rows(0, maxChartRows);
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
  }, [runId]);
  // The one before is closed once another is shown in its place.
  const { result } = reading;
  useEffect(() => () => result?.close(), [result]);
  return reading;
}
