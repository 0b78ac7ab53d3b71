import classes from "./dashboard.module.css";
import { inReadingOrder, type Tile } from "./dashboard.ts";
import { TileFrame } from "./tile-frame.tsx";
import type { LoadedCharts } from "./use-loaded-charts.ts";
import type { Filtering } from "./use-pick.ts";

interface DashboardGridProps {
  tiles: readonly Tile[];
  loaded: LoadedCharts | undefined;
  filtering: Filtering;
}

/** The tiles of a tab. */
export const DashboardGrid = ({ tiles, loaded, filtering }: DashboardGridProps) => (
  <div className={classes.grid}>
    {inReadingOrder(tiles).map((tile) => (
      <TileFrame key={tile.id} tile={tile} loaded={loaded} filtering={filtering} />
    ))}
  </div>
);
