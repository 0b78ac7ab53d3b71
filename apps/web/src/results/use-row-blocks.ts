import { useEffect, useMemo, useReducer } from "react";
import { ignoreClosed } from "./block-cache.ts";
import type { OpenResult } from "./open-result.ts";
import type { SortAndFilter } from "./result-table.ts";
import { RowBlocks } from "./row-blocks.ts";

/** The rows of a result, sorted and filtered. Renders again when the order changes, not when rows arrive. */
export function useRowBlocks(result: OpenResult, order: SortAndFilter): RowBlocks {
  const blocks = useMemo(() => new RowBlocks(result), [result]);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    blocks.sortAndFilter(order).then(renderAgain, ignoreClosed);
  }, [blocks, order]);
  return blocks;
}
