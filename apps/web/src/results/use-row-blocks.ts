import { useEffect, useMemo, useReducer } from "react";
import type { OpenResult } from "./open-result.ts";
import type { Arrangement } from "./result-table.ts";
import { ignoreClosed, RowBlocks } from "./row-blocks.ts";

/** The rows of a result in an arrangement. Draws again when another arrangement is there, not when rows arrive. */
export function useRowBlocks(result: OpenResult, arrangement: Arrangement): RowBlocks {
  const blocks = useMemo(() => new RowBlocks(result), [result]);
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    blocks.arrange(arrangement).then(drawAgain, ignoreClosed);
  }, [blocks, arrangement]);
  return blocks;
}
