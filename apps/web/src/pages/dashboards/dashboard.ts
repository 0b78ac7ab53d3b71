import type { Outputs } from "@querybell/client";
import type { DashboardFilters } from "@querybell/domain";

export type Dashboard = Outputs["dashboards"]["get"];
export type Content = Omit<Dashboard["content"], "filters"> & { filters: DashboardFilters };
export type Tab = Content["tabs"][number];
export type Tile = Tab["tiles"][number];
export type Chart = Dashboard["charts"][number];
export type ShownChart = Extract<Chart, { state: "shown" }>;

/** The height of a row of the grid and the room between tiles, as in dashboard.module.css. */
export const rowHeight = 40;
export const gap = 16;

/** The height of a tile with this many rows. */
export const tileHeight = (rows: number): number => rows * rowHeight + (rows - 1) * gap;

/** In the order in which they are read: by row, then by column. */
export const inReadingOrder = (tiles: readonly Tile[]): Tile[] =>
  [...tiles].sort((one, other) => one.y - other.y || one.x - other.x);
