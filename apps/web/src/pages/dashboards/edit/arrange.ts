import { gridColumns, overlaps } from "@querybell/domain/dashboard-grid";
import type { Tile } from "../dashboard.ts";

type Direction = "up" | "down" | "left" | "right";

/** How large a tile is while nobody has resized it. */
const usualSizes = {
  chart: { w: 6, h: 7 },
  number: { w: 3, h: 3 },
  table: { w: 6, h: 8 },
  text: { w: 12, h: 2 },
};
export const usualSize = (shows: keyof typeof usualSizes) => usualSizes[shows];

const minSize = { w: 2, h: 2 };

/** Whether tiles are above each other. */
const sharesColumns = (one: Tile, other: Tile): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w;

const byPlace = (one: Tile, other: Tile): number => one.y - other.y || one.x - other.x;

/** Puts each tile directly below those before it that share a column with it. No two overlap then. */
function stack(tiles: readonly Tile[]): Tile[] {
  const placed: Tile[] = [];
  for (const tile of tiles) {
    const above = placed.filter((other) => sharesColumns(tile, other));
    placed.push({ ...tile, y: Math.max(0, ...above.map(({ y, h }) => y + h)) });
  }
  return placed;
}

/** Keeps a tile within the columns and not too small. */
function fit<Placed extends Tile>(tile: Placed): Placed {
  const w = Math.max(minSize.w, Math.min(gridColumns, tile.w));
  const x = Math.max(0, Math.min(gridColumns - w, tile.x));
  return { ...tile, w, x, h: Math.max(minSize.h, Math.min(100, tile.h)), y: Math.max(0, tile.y) };
}

/**
 * The tiles once one of them was put to another place or got another size. The others make room, and all move up as far as
 * they can. A tile that moves down takes its place after those whose middle its lower edge has passed, and likewise upwards.
 */
export function arrange(tiles: readonly Tile[], changed: Tile): Tile[] {
  const before = tiles.find(({ id }) => id === changed.id);
  const moved = fit(changed);
  const others = tiles.filter(({ id }) => id !== moved.id).sort(byPlace);
  const dy = moved.y - (before?.y ?? moved.y);
  const edge = dy > 0 ? moved.y + moved.h : moved.y;
  const isAfter = (other: Tile) => (dy === 0 ? byPlace(other, moved) >= 0 : edge <= other.y + other.h / 2);
  const at = others.findIndex(isAfter);
  const order = at === -1 ? [...others, moved] : [...others.slice(0, at), moved, ...others.slice(at)];
  return stack(order);
}

/** Moves a tile by one step: sideways by a column, up and down past its neighbour. */
export function moveTile(tiles: readonly Tile[], tile: Tile, direction: Direction): Tile[] {
  if (direction === "left") return arrange(tiles, { ...tile, x: tile.x - 1 });
  if (direction === "right") return arrange(tiles, { ...tile, x: tile.x + 1 });
  const neighbours = tiles
    .filter((other) => other.id !== tile.id && sharesColumns(tile, other))
    .sort(byPlace);
  if (direction === "up") {
    const above = neighbours.findLast((other) => other.y < tile.y);
    return above ? arrange(tiles, { ...tile, y: above.y }) : [...tiles];
  }
  const below = neighbours.find((other) => other.y >= tile.y + tile.h);
  return below ? arrange(tiles, { ...tile, y: below.y + below.h }) : [...tiles];
}

/** Makes a tile larger or smaller by one cell. */
export function resizeTile(tiles: readonly Tile[], tile: Tile, direction: Direction): Tile[] {
  const dw = { up: 0, down: 0, left: -1, right: 1 }[direction];
  const dh = { up: -1, down: 1, left: 0, right: 0 }[direction];
  return arrange(tiles, { ...tile, w: Math.min(tile.w + dw, gridColumns - tile.x), h: tile.h + dh });
}

/** Adds a tile where there is room for it: in the first row that has enough free columns, from the left. */
export function addTile(tiles: readonly Tile[], tile: Tile): Tile[] {
  const bottom = Math.max(0, ...tiles.map(({ y, h }) => y + h));
  const isFree = (x: number, y: number) => !tiles.some((other) => overlaps({ ...tile, x, y }, other));
  for (let y = 0; y <= bottom; y++) {
    for (let x = 0; x <= gridColumns - tile.w; x++) {
      if (isFree(x, y)) return arrange([...tiles, { ...tile, x, y }], { ...tile, x, y });
    }
  }
  return [...tiles, { ...tile, x: 0, y: bottom }];
}

/** The tiles without one of them. The others move up. */
export const removeTile = (tiles: readonly Tile[], id: string): Tile[] =>
  stack(tiles.filter((tile) => tile.id !== id).sort(byPlace));
