import { useCallback, useEffect, useRef, useState } from "react";
import type { OpenResult } from "./open-result.ts";
import type { Arrangement } from "./result-table.ts";

type Row = readonly unknown[];

const blockSize = 200;
/** Some screens' worth: what was left long ago is asked for again. */
const maxBlocks = 60;

export interface RowBlocks {
  /** How many rows the arrangement leaves. */
  count: number;
  rowAt(index: number): Row | undefined;
  /** Asks for the rows around these, if they are not here yet. */
  need(from: number, to: number): void;
}

/** The rows of a result as far as they are looked at. The worker has them all. */
export function useRowBlocks(result: OpenResult, arrangement: Arrangement): RowBlocks {
  const blocks = useRef(new Map<number, Row[] | null>());
  const [state, setState] = useState({ count: result.rowCount, drawn: 0 });
  const generation = useRef(0);

  const load = useCallback(
    async (block: number) => {
      if (block < 0 || blocks.current.has(block)) return;
      blocks.current.set(block, null);
      const ours = generation.current;
      const rows = await result.rows(block * blockSize, (block + 1) * blockSize);
      if (ours !== generation.current) return;
      blocks.current.set(block, rows);
      for (const old of blocks.current.keys()) {
        if (blocks.current.size <= maxBlocks) break;
        blocks.current.delete(old);
      }
      setState((before) => ({ ...before, drawn: before.drawn + 1 }));
    },
    [result],
  );

  useEffect(() => {
    const ours = ++generation.current;
    const arrange = async () => {
      const count = await result.arrange(arrangement);
      if (ours !== generation.current) return;
      blocks.current.clear();
      const rows = await result.rows(0, blockSize);
      if (ours !== generation.current) return;
      blocks.current.set(0, rows);
      setState(({ drawn }) => ({ count, drawn: drawn + 1 }));
    };
    arrange().catch(ignoreClosed);
    return () => {
      generation.current++;
    };
  }, [result, arrangement]);

  const need = useCallback(
    (from: number, to: number) => {
      const [first, last] = [Math.floor(from / blockSize), Math.floor(to / blockSize)];
      // One more in each direction: the rows are there before they are scrolled to.
      for (let block = first - 1; block <= last + 1; block++) {
        if (block * blockSize < state.count) load(block).catch(ignoreClosed);
      }
    },
    [load, state.count],
  );

  const rowAt = (index: number) => blocks.current.get(Math.floor(index / blockSize))?.[index % blockSize];
  return { count: state.count, rowAt, need };
}

/** A result that is replaced while its rows are on their way answers no more, and nobody waits for it. */
const ignoreClosed = () => {};
