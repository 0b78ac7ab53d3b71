import type { DashboardFilters } from "@querybell/domain";
import type { Content, Tile } from "../dashboard.ts";

/** The content with these filters. A click that set a filter that is gone does nothing. */
export function withFilters({ tabs }: Content, filters: DashboardFilters): Content {
  const names = new Set(filters.definitions.map(({ name }) => name));
  const keepClick = (tile: Tile): Tile => {
    if (tile.kind !== "chart" || tile.click?.does !== "filter" || names.has(tile.click.filter)) return tile;
    const { click: _, ...rest } = tile;
    return rest;
  };
  return { tabs: tabs.map((tab) => ({ ...tab, tiles: tab.tiles.map(keepClick) })), filters };
}
