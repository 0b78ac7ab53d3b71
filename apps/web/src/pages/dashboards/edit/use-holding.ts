import { gridColumns } from "@querybell/domain/dashboard-grid";
import { type PointerEvent, type RefObject, useRef, useState } from "react";
import { gap, rowHeight, type Tile } from "../dashboard.ts";
import { arrange } from "./arrange.ts";

interface Held {
  id: string;
  tiles: Tile[];
}

interface Start {
  tile: Tile;
  x: number;
  y: number;
  columnWidth: number;
  isResizing: boolean;
}

interface Holding {
  grid: RefObject<HTMLDivElement | null>;
  tiles: readonly Tile[];
  onChange: (tiles: Tile[]) => void;
}

/** Moving and resizing tiles with a pointer. While a tile is held, `held` is the arrangement that letting go would give. */
export function useHolding({ grid, tiles, onChange }: Holding) {
  const [held, setHeld] = useState<Held>();
  const start = useRef<Start>(undefined);
  const toCells = ({ clientX, clientY }: PointerEvent, { x, y, columnWidth }: Start) => ({
    dx: Math.round((clientX - x) / (columnWidth + gap)),
    dy: Math.round((clientY - y) / (rowHeight + gap)),
  });
  const handlers = (tile: Tile, isResizing: boolean) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || !grid.current) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const columnWidth = (grid.current.clientWidth - gap * (gridColumns - 1)) / gridColumns;
      start.current = { tile, x: event.clientX, y: event.clientY, columnWidth, isResizing };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!start.current) return;
      const { dx, dy } = toCells(event, start.current);
      const { tile: before } = start.current;
      const changed = isResizing
        ? { ...before, w: Math.min(before.w + dx, gridColumns - before.x), h: before.h + dy }
        : { ...before, x: before.x + dx, y: before.y + dy };
      setHeld({ id: tile.id, tiles: arrange(tiles, changed) });
    },
    onPointerUp: () => {
      if (held && start.current) onChange(held.tiles);
      start.current = undefined;
      setHeld(undefined);
    },
    onPointerCancel: () => {
      start.current = undefined;
      setHeld(undefined);
    },
  });
  return { held, handlers };
}
