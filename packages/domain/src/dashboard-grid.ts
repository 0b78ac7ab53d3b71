/** The columns of the grid of a dashboard. On a phone its tiles are one below the other. */
export const gridColumns = 12;

/** Where a tile is and how large, in cells of the grid. */
export interface TilePlace {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Whether two places share a cell. */
export const overlaps = (one: TilePlace, other: TilePlace): boolean =>
  one.x < other.x + other.w &&
  other.x < one.x + one.w &&
  one.y < other.y + other.h &&
  other.y < one.y + one.h;
