import { rowsToRead, rowsWithin } from "@querybell/charts/chart-data";
import { drawDashboardPicture, type PictureTile } from "@querybell/charts/dashboard-picture";
import { maxTableRows } from "@querybell/charts/plain-rows";
import type { ResultTable } from "@querybell/summaries/result-table";
import type { DashboardPictureRequest } from "./picture-request.ts";
import { toPng } from "./to-png.ts";

type RequestedTile = DashboardPictureRequest["tabs"][number]["tiles"][number];

/** Draws a whole dashboard as a PNG. `readResult` reads the result with this position, one at a time. */
export function drawDashboardOf(
  { tabs, scale, ...picture }: DashboardPictureRequest,
  readResult: (position: number) => ResultTable,
): Uint8Array {
  const svg = drawDashboardPicture({
    ...picture,
    tabs: tabs.map(({ title, tiles }) => ({ title, tiles: tiles.map((tile) => toTile(tile, readResult)) })),
  });
  return toPng(svg, scale);
}

function toTile(tile: RequestedTile, readResult: (position: number) => ResultTable): PictureTile {
  if (tile.kind !== "chart") return tile;
  const { result, visualization, ...rest } = tile;
  return {
    ...rest,
    visualization,
    read() {
      const { fields, rows } = readResult(result);
      const read = visualization ? rowsWithin(rowsToRead(visualization), fields.length) : maxTableRows;
      return { fields, rows: rows.slice(0, read), rowCount: rows.length };
    },
  };
}
