import { Menu, Skeleton } from "@mantine/core";
import { type ChartRows, maxChartRows, rowsToRead, rowsWithin } from "@querybell/charts/chart-data";
import { IconDots } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import {
  type CSSProperties,
  type HTMLAttributes,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { LazyChart } from "../../charts/lazy-chart.tsx";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import type { OpenResult } from "../../results/open-result.ts";
import { readFirst } from "../../results/use-result.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { MenuItemTo } from "../../ui/links.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { LazyMenu } from "../../ui/until-used.tsx";
import classes from "./dashboard.module.css";
import { type Chart, type ShownChart, type Tile, tileHeight } from "./dashboard.ts";
import { TextTile } from "./text-tile.tsx";
import type { LoadedCharts } from "./use-loaded-charts.ts";
import { type Filtering, usePick, valuesOfChart } from "./use-pick.ts";

const ResultPanel = lazyPart(async () => (await import("../../results/result-panel.tsx")).ResultPanel);
const ConfiguredTable = lazyPart(
  async () => (await import("../../results/configured-table.tsx")).ConfiguredTable,
);

/** The heading of a tile, its padding and its note. */
const framePx = 70;
const phoneChartPx = 260;

/** Below this width the tiles are in one column, as in dashboard.module.css. */
const phone = matchMedia("(max-width: 48em)");

const onPhoneChange = (listener: () => void) => {
  phone.addEventListener("change", listener);
  return () => phone.removeEventListener("change", listener);
};

export const useIsPhone = (): boolean => useSyncExternalStore(onPhoneChange, () => phone.matches);

/** What a screen reader calls a tile. */
export function tileName(tile: Tile, loaded: LoadedCharts | undefined): string {
  if (tile.kind === "text") return "Text";
  const chart = loaded?.charts.get(tile.referenceId);
  return chart?.state === "shown" ? chart.title : "Chart";
}

interface TileFrameProps extends HTMLAttributes<HTMLElement> {
  tile: Tile;
  loaded: LoadedCharts | undefined;
  /** Undefined while the dashboard is edited. */
  filtering?: Filtering;
  /** The buttons while the dashboard is edited, in place of the menu. */
  tools?: ReactNode;
  /** What is drawn over its lower right corner. */
  corner?: ReactNode;
}

/** A tile at its place in the grid. */
export function TileFrame({ tile, loaded, filtering, tools, corner, ...more }: TileFrameProps) {
  const isPhone = useIsPhone();
  const chart = tile.kind === "chart" ? loaded?.charts.get(tile.referenceId) : undefined;
  const shown = chart?.state === "shown" ? chart : undefined;
  const onPick = usePick(tile, shown, filtering);
  const values = shown ? valuesOfChart(shown, filtering) : {};
  const place: CSSProperties = {
    gridColumn: `${tile.x + 1} / span ${tile.w}`,
    gridRow: `${tile.y + 1} / span ${tile.h}`,
  };
  return (
    <section
      className={classes.tile}
      data-kind={tile.kind}
      aria-label={tileName(tile, loaded)}
      style={isPhone ? {} : place}
      {...more}
    >
      {(tools !== undefined || tile.kind === "chart") && (
        <div className={classes.tileHead}>
          <TileTitle chart={chart} isText={tile.kind === "text"} values={values} />
          {tools ?? (shown && <TileMenu chart={shown} values={values} />)}
        </div>
      )}
      {/* A long text is scrolled, also with the keyboard. */}
      <div className={classes.tileBody} tabIndex={tile.kind === "text" ? 0 : undefined}>
        {tile.kind === "text" ? (
          <TextTile text={tile.text} />
        ) : (
          <ChartTile
            chart={chart}
            loaded={loaded}
            isTable={tile.shows === "table"}
            height={isPhone ? phoneChartPx : tileHeight(tile.h) - framePx}
            isRefreshing={filtering?.isRefreshing ?? false}
            onPick={onPick}
          />
        )}
      </div>
      {shown && <TileNote chart={shown} instants={loaded?.instants ?? []} />}
      {corner}
    </section>
  );
}

interface TileTitleProps {
  chart: Chart | undefined;
  isText: boolean;
  /** Of the placeholders that filters feed. */
  values: ValueTexts;
}

function TileTitle({ chart, isText, values }: TileTitleProps) {
  if (isText) return <h2 className={classes.tileTitle}>Text</h2>;
  if (chart?.state !== "shown") return <span />;
  return (
    <h2 className={classes.tileTitle} title={chart.description ?? chart.title}>
      <Link
        to="/q/$shortId"
        params={{ shortId: chart.shortId }}
        search={values}
        className={classes.tileLink ?? ""}
      >
        {chart.title}
      </Link>
    </h2>
  );
}

interface TileMenuProps {
  chart: ShownChart;
  values: ValueTexts;
}

/** What can be done with the result of a tile. Files come from the run that the tile shows. */
function TileMenu({ chart, values }: TileMenuProps) {
  const { shortId, title, result } = chart;
  const query = new URLSearchParams({ name: title });
  return (
    <LazyMenu
      position="bottom-end"
      button={(props) => (
        <button type="button" className={classes.more} aria-label={`More: ${title}`} {...props}>
          <IconDots size={16} />
        </button>
      )}
    >
      <MenuItemTo to="/q/$shortId" params={{ shortId }} search={values}>
        Open the chart
      </MenuItemTo>
      {result &&
        !result.isExpired &&
        (["csv", "json", "parquet"] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={`/api/runs/${result.runId}/result.${format}?${query}`}
            download
          >
            {`Download as ${formatNames[format]}`}
          </Menu.Item>
        ))}
    </LazyMenu>
  );
}

const formatNames = { csv: "CSV", json: "JSON", parquet: "Parquet" };

interface TileNoteProps {
  chart: ShownChart;
  instants: LoadedCharts["instants"];
}

/** What the heading of the dashboard does not say about the result: another moment, a limit, a failure. */
function TileNote({ chart: { result, snapshotAt, database, failure }, instants }: TileNoteProps) {
  const instant = instants.find(({ databaseId }) => databaseId === database?.id)?.at;
  const isOfInstant = snapshotAt !== null && snapshotAt === instant;
  const remarks = [
    result?.isExpired && "expired",
    result?.isOutdated && "of an earlier version of its query",
    result && result.cutBy !== null && `cut at the limit of ${result.cutBy}`,
  ].filter((remark) => typeof remark === "string");
  if (!failure && (!result || (isOfInstant && remarks.length === 0))) return null;
  return (
    <div className={classes.note}>
      {failure && <span className={classes.failure}>The last refresh failed: {failure} </span>}
      {result && !isOfInstant && (
        <>
          As of <Timestamp at={snapshotAt ?? result.completedAt} format="seconds" />
          {database?.engine === "trino"
            ? ", by itself, since Trino has no snapshots"
            : ", not with the others"}
          {remarks.length > 0 && "; "}
        </>
      )}
      {result && remarks.join(", ")}
    </div>
  );
}

interface ChartTileProps {
  chart: Chart | undefined;
  loaded: LoadedCharts | undefined;
  isTable: boolean;
  height: number;
  isRefreshing: boolean;
  onPick: ((category: string) => void) | undefined;
}

function ChartTile({ chart, loaded, isTable, height, isRefreshing, onPick }: ChartTileProps) {
  const runId = chart?.state === "shown" ? chart.result?.runId : undefined;
  const result = runId === undefined ? undefined : loaded?.results.get(runId);
  if (!loaded || !chart) return <Skeleton height={height} />;
  if (chart.state === "hidden") return <Empty>You may not see this chart. Ask an admin for access.</Empty>;
  if (chart.state === "deleted") return <Empty>This chart was deleted.</Empty>;
  if (!chart.result) return <Empty>{isRefreshing ? "It is running." : chart.missing}</Empty>;
  if (!result) return <Empty>Its result was replaced. Reload the page to see the newer one.</Empty>;
  const drawn = { chart, result, isTable, height, onPick };
  return <Drawn key={result.runId} {...drawn} />;
}

const Empty = ({ children }: { children: ReactNode }) => <p className={classes.empty}>{children}</p>;

interface DrawnProps {
  chart: ShownChart;
  result: OpenResult;
  isTable: boolean;
  height: number;
  onPick: ((category: string) => void) | undefined;
}

function Drawn({ chart, result, isTable, height, onPick }: DrawnProps) {
  const { title, visualization, result: info } = chart;
  const asTable = isTable || visualization === null || visualization.type === "table";
  const rows = useFirstRows(result, visualization ? rowsToRead(visualization) : maxChartRows);
  if (!asTable) {
    if (!rows) return <Skeleton height={height} />;
    const drawn = { visualization, rows, label: `Chart: ${title}`, height, onPick };
    return <LazyChart {...drawn} />;
  }
  const panel = {
    result,
    label: `Rows of ${title}`,
    name: title,
    note: info?.cutBy == null ? undefined : `cut at the limit of ${info.cutBy}`,
  };
  const settings = visualization?.type === "table" && !isTable ? visualization.jsxConfig.trim() : "";
  return (
    <Suspense fallback={<Skeleton height={height} />}>
      {settings === "" || !rows ? (
        <ResultPanel {...panel} />
      ) : (
        <ConfiguredTable {...panel} rows={rows} jsxConfig={settings} />
      )}
    </Suspense>
  );
}

/** The rows that a chart is drawn from. */
function useFirstRows(result: OpenResult, most: number): ChartRows | undefined {
  const { fields, rowCount, allRows } = result;
  const areSent = allRows !== undefined && rowCount <= rowsWithin(most, fields.length);
  const [read, setRead] = useState<ChartRows>();
  useEffect(() => {
    if (areSent) return;
    let isWanted = true;
    readFirst(result, most).then(
      (first) => {
        if (isWanted) setRead({ fields, rows: first, rowCount });
      },
      // The result was closed, because the tile shows another one.
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [result, most, areSent]);
  const sent = useMemo(
    () => (areSent ? { fields, rows: allRows, rowCount } : undefined),
    [areSent, fields, allRows, rowCount],
  );
  return sent ?? read;
}
