import { overlaps } from "@querybell/domain/dashboard-grid";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Tile } from "../dashboard.ts";
import { addTile, arrange, moveTile, removeTile, resizeTile } from "./arrange.ts";

const tile = (id: string, x: number, y: number, w: number, h: number): Tile => ({
  ...{ id, kind: "text", text: "", x, y, w, h },
});

/** "a0,0" for each tile. */
const places = (tiles: readonly Tile[]) =>
  [...tiles].sort((one, other) => (one.id < other.id ? -1 : 1)).map(({ id, x, y }) => `${id}${x},${y}`);

const two = [tile("a", 0, 0, 6, 4), tile("b", 0, 4, 6, 2)];

test("a tile that moves down changes places with the one below", () => {
  expect(places(moveTile(two, two[0] as Tile, "down"))).toEqual(["a0,2", "b0,0"]);
});

test("a tile that moves up changes places with the one above", () => {
  expect(places(moveTile(two, two[1] as Tile, "up"))).toEqual(["a0,2", "b0,0"]);
});

test("the first tile cannot move up, the last not down, and none leaves the columns", () => {
  expect(places(moveTile(two, two[0] as Tile, "up"))).toEqual(places(two));
  expect(places(moveTile(two, two[1] as Tile, "down"))).toEqual(places(two));
  expect(places(moveTile(two, two[0] as Tile, "left"))).toEqual(places(two));
  const right = [tile("a", 6, 0, 6, 4)];
  expect(places(moveTile(right, right[0] as Tile, "right"))).toEqual(places(right));
});

test("a tile that is dragged over half of the next one takes its place", () => {
  expect(places(arrange(two, { ...(two[0] as Tile), y: 1 }))).toEqual(["a0,0", "b0,4"]);
  expect(places(arrange(two, { ...(two[0] as Tile), y: 2 }))).toEqual(["a0,2", "b0,0"]);
});

test("a larger tile pushes the ones below", () => {
  expect(places(resizeTile(two, two[0] as Tile, "down"))).toEqual(["a0,0", "b0,5"]);
});

test("a new tile takes the first free place, and a removed one leaves none", () => {
  const added = addTile(two, tile("c", 0, 0, 6, 3));
  expect(places(added)).toEqual(["a0,0", "b0,4", "c6,0"]);
  expect(places(removeTile(added, "a"))).toEqual(["b0,0", "c6,0"]);
});

const change = fc.record({
  at: fc.nat(7),
  x: fc.integer({ min: -5, max: 20 }),
  y: fc.integer({ min: -5, max: 60 }),
  w: fc.integer({ min: -1, max: 20 }),
  h: fc.integer({ min: -1, max: 120 }),
});

test("whatever is done, tiles stay within the grid, never overlap and none is lost", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      let tiles: Tile[] = [];
      for (const id of "abcdefgh") tiles = addTile(tiles, tile(id, 0, 0, 6, 4));
      for (const { at, ...place } of changes) tiles = arrange(tiles, { ...(tiles[at] as Tile), ...place });
      expect(tiles.map(({ id }) => id).sort()).toEqual([..."abcdefgh"]);
      for (const [at, one] of tiles.entries()) {
        expect(one.x).toBeGreaterThanOrEqual(0);
        expect(one.x + one.w).toBeLessThanOrEqual(12);
        expect(tiles.slice(at + 1).some((other) => overlaps(one, other))).toBe(false);
      }
    }),
  );
});
