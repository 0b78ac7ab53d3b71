import {
  AppError,
  type Caller,
  cutText,
  type DashboardChart,
  type DashboardDetail,
  type DashboardPictureParameters,
  type DashboardTile,
  type FilterValues,
  type Visualization,
} from "@querybell/domain";
import type { DashboardPictureRequest } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";
import { throwDrawingFailure } from "../references/draw-picture.ts";
import type { ShownResult } from "../results/get-result.ts";
import { readResult, type StoredBytes } from "../results/read-result.ts";
import { getDashboard } from "./get-dashboard.ts";

/** What the tile of a chart shows. */
export type ChartToDraw =
  | { kind: "empty"; title: string | null; reason: string }
  | {
      kind: "chart";
      title: string;
      /** Null: its rows as a table. */
      visualization: Visualization | null;
      notes: string[];
      source: ResultSource;
    };

/** Where the bytes of a result are read. Tiles with the same key share them. */
interface ResultSource {
  key: string;
  cut: boolean;
  open(): Promise<Pick<StoredBytes, "byteCount" | "pieces">>;
}

/** The current result of a run. */
export const sourceOf = (
  deps: Pick<Deps, "db">,
  caller: Pick<Caller, "organizationId">,
  result: ShownResult,
): ResultSource => ({
  key: result.runId,
  cut: result.cutBy !== null,
  open: () => readResult(deps, caller, result),
});

type ChartTile = Extract<DashboardTile, { kind: "chart" }>;
type RequestedTile = DashboardPictureRequest["tabs"][number]["tiles"][number];

interface TabsToDraw {
  title: string;
  /** The moment that the tiles show, in words. */
  moment: string;
  tabs: readonly { title: string; tiles: readonly DashboardTile[] }[];
  chartOf: (tile: ChartTile) => ChartToDraw;
  look: Pick<DashboardPictureRequest, "scheme" | "scale" | "maxHeight" | "isCropped" | "locale" | "timeZone">;
  signal?: AbortSignal | undefined;
}

/** Compressed. A host holds all of them. */
const maxResultBytes = 8 * 1024 ** 2;
const maxBytesOfAll = 32 * 1024 ** 2;
/** More does not fit into a tile. */
const maxTextCharacters = 3_000;

/** Draws tiles in an engine host, from stored results. It runs nothing. */
export async function drawTabs(
  deps: Pick<Deps, "engines">,
  caller: Pick<Caller, "organizationId">,
  { title, moment, tabs, chartOf, look, signal }: TabsToDraw,
): Promise<Uint8Array> {
  const results = new Map<string, Pick<StoredBytes, "pieces"> & { cut: boolean; position: number }>();
  let bytesLeft = maxBytesOfAll;
  const toTile = async (tile: DashboardTile): Promise<RequestedTile> => {
    const { x, y, w, h } = tile;
    const place = { x, y, w, h };
    if (tile.kind === "text") return { kind: "text", ...place, text: cutText(tile.text, maxTextCharacters) };
    const chart = chartOf(tile);
    if (chart.kind === "empty") return { ...chart, ...place };
    const { source, ...drawn } = chart;
    let found = results.get(source.key);
    if (!found) {
      const { byteCount, pieces } = await source.open();
      if (byteCount > Math.min(maxResultBytes, bytesLeft)) {
        return {
          kind: "empty",
          ...place,
          title: chart.title,
          reason: "This result is too large for a picture.",
        };
      }
      bytesLeft -= byteCount;
      found = { pieces, cut: source.cut, position: results.size };
      results.set(source.key, found);
    }
    return { ...drawn, ...place, result: found.position };
  };
  const drawn: DashboardPictureRequest["tabs"] = [];
  for (const tab of tabs) {
    const tiles: RequestedTile[] = [];
    for (const tile of tab.tiles) tiles.push(await toTile(tile));
    drawn.push({ title: tab.title, tiles });
  }
  const outcome = await deps.engines.drawDashboard(
    {
      organizationId: caller.organizationId,
      picture: { title, moment, tabs: drawn, ...look },
      results: [...results.values()].map(({ pieces, cut }) => ({ cut, read: () => pieces })),
    },
    { signal },
  );
  return outcome.kind === "drawn" ? outcome.bytes : throwDrawingFailure(outcome.failure, signal);
}

interface NamedDashboard extends DashboardPictureParameters {
  id: string;
  filterValues: FilterValues;
  signal?: AbortSignal;
}

interface DrawnDashboard {
  title: string;
  /** The newest moment that it shows, or now. */
  at: string;
  bytes: Uint8Array;
  /** The results that it shows. */
  results: ShownResult[];
}

/** A picture of the whole, up to this height in pixels of the page. */
const maxHeight = 6_000;
/** Pictures that are lower have two pixels for each of the page. */
const sharpHeight = 2_400;

/** Draws a dashboard with all its tabs as a PNG, as the caller sees it, from stored results. */
export async function drawDashboard(
  deps: Deps,
  caller: Caller,
  { id, filterValues, signal, ...parameters }: NamedDashboard,
): Promise<DrawnDashboard> {
  const dashboard = await getDashboard(deps, caller, { id, filterValues });
  const { filterErrors, content, charts, instants, title } = dashboard;
  if (filterErrors.length > 0) {
    const errors = filterErrors;
    throw new AppError("invalid_parameter_value", "Correct the values of the filters first.", { errors });
  }
  const write = momentWriter(parameters);
  const byReference = new Map(charts.map((chart) => [chart.referenceId, chart]));
  const chartOf = (tile: ChartTile) =>
    toDraw(byReference.get(tile.referenceId), {
      ...{ tile, instants, write },
      source: (result) => sourceOf(deps, caller, result),
    });
  const isLow = content.tabs.every(({ tiles }) => tiles.every(({ y, h }) => (y + h) * 56 < sharpHeight));
  const scale = isLow && content.tabs.length === 1 ? 2 : 1;
  const bytes = await drawTabs(deps, caller, {
    ...{ title, moment: momentOf(instants, write), tabs: content.tabs, chartOf, signal },
    look: { ...parameters, scale, maxHeight, isCropped: false },
  });
  return {
    title,
    bytes,
    at:
      instants
        .map(({ at }) => at)
        .toSorted()
        .at(-1) ?? deps.clock.now().toISOString(),
    results: uniqueResults(charts),
  };
}

/** Charts with the same query and values share one. */
function uniqueResults(charts: readonly DashboardChart[]): ShownResult[] {
  const results = charts.flatMap((chart) => (chart.state === "shown" && chart.result ? [chart.result] : []));
  return [...new Map(results.map((result) => [result.runId, result])).values()];
}

/** Writes moments for a reader, with their zone. */
export function momentWriter({ locale, timeZone }: { locale: string; timeZone: string }) {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long", timeZone });
  return (at: string): string => format.format(new Date(at));
}

type Write = ReturnType<typeof momentWriter>;

function momentOf(instants: DashboardDetail["instants"], write: Write): string {
  const [first, ...others] = instants;
  if (!first) return "Not refreshed yet.";
  if (others.length === 0) return `As of ${write(first.at)}`;
  return instants.map(({ name, at }) => `${name} as of ${write(at)}`).join(", ");
}

interface Shown {
  source: (result: ShownResult) => ResultSource;
  tile: ChartTile;
  instants: DashboardDetail["instants"];
  write: Write;
}

function toDraw(chart: DashboardChart | undefined, { source, tile, instants, write }: Shown): ChartToDraw {
  if (chart?.state === "hidden") return { kind: "empty", title: null, reason: "You may not see this chart." };
  if (chart?.state !== "shown") return { kind: "empty", title: null, reason: "This chart was deleted." };
  const { title, visualization, result, missing, failure, snapshotAt, database } = chart;
  if (!result) return { kind: "empty", title, reason: failure ?? missing ?? "It was not refreshed yet." };
  const moment = instants.find(({ databaseId }) => databaseId === database?.id)?.at;
  const at = snapshotAt ?? result.completedAt;
  const notes = [
    ...(at === moment ? [] : [`As of ${write(at)}, not with the others.`]),
    ...(failure === null ? [] : ["Its last refresh failed."]),
    ...(result.isExpired ? ["It has expired."] : []),
    ...(result.isOutdated ? ["It is of an earlier version of its query."] : []),
    ...cutNotes(result),
  ];
  return {
    ...{ kind: "chart", title, notes, source: source(result) },
    visualization: tile.shows === "chart" ? visualization : null,
  };
}

/** Says if a limit has cut a result. */
export const cutNotes = ({ cutBy }: Pick<ShownResult, "cutBy">): string[] =>
  cutBy === null ? [] : [`The result was cut at the limit of ${cutBy}.`];
