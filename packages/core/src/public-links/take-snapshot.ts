import { rowsOfTable, toPlainRows, whatIsLeftOut } from "@querybell/charts/plain-rows";
import { AppError, type Caller, type DashboardTile, type PublicLinkItem } from "@querybell/domain";
import type { PublishedContent, PublishedTile } from "@querybell/public-pages";
import { cutNotes, drawTabs, momentWriter, sourceOf } from "../dashboards/draw-dashboard.ts";
import type { Deps } from "../deps.ts";
import {
  type ChartToDraw,
  type DrawnFile,
  dashboardPreview,
  drawPreview,
  drawTile,
  toPreview,
} from "./draw-tile.ts";
import { type ItemToPublish, publishedRuns, type ShownChart } from "./item-to-publish.ts";
import { readFirstRows } from "./read-first-rows.ts";

/** What is written for a public page. */
export interface Snapshot {
  readAt: Date;
  content: PublishedContent;
  files: (DrawnFile & { referenceId: string })[];
  charts: { referenceId: string; runId: string; rowRightsVersion: number }[];
}

/** All cells of a page. More would make it slow to open. */
const maxCells = 20_000;
/** All pictures of a page. Of a link with many pages, each has fewer, but a dashboard of 20 charts fits. */
const maxFileBytes = 16 * 1024 ** 2;
const minFileBytes = 4 * 1024 ** 2;

interface ItemToDraw {
  kind: PublicLinkItem["kind"];
  item: ItemToPublish;
  readAt: Date;
  /** Whether a picture for link previews is drawn, too. */
  hasPreview?: boolean;
  /** Of the link. */
  pages?: number;
}

/** Draws an item. It reads stored results and runs nothing. */
export async function takeSnapshot(
  deps: Deps,
  caller: Caller,
  { kind, item, readAt, hasPreview = true, pages = 1 }: ItemToDraw,
): Promise<Snapshot> {
  const { name: organization } = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
    select: { name: true },
  });
  const files: Snapshot["files"] = [];
  const tabs: PublishedContent["tabs"] = [];
  let cellsLeft = maxCells;
  let bytesLeft = Math.max(minFileBytes, maxFileBytes / pages);
  let previewOf: string | null = null;
  let tileNumber = 0;
  for (const { tiles, ...tab } of item.tabs) {
    const published: PublishedTile[] = [];
    for (const tile of tiles) {
      const limits = { maxCells: cellsLeft, maxBytes: bytesLeft };
      const found = await publishTile(deps, caller, { tile, item, tileNumber: tileNumber++, ...limits });
      bytesLeft -= sizeOf(found.files);
      if (found.tile.kind === "table") cellsLeft -= found.tile.rows.length * found.tile.columns.length;
      if (found.tile.kind === "picture") {
        const { referenceId } = found.tile;
        files.push(...found.files.map((file) => ({ ...file, referenceId })));
        if (hasPreview && kind === "reference" && found.chart) {
          const preview = await drawPreview(deps, caller, found.chart);
          if (preview) files.push({ ...preview, referenceId });
          previewOf = referenceId;
        }
      }
      published.push(found.tile);
    }
    tabs.push({ ...tab, tiles: published });
  }
  if (hasPreview && kind === "dashboard") {
    const [referenceId] = publishedRuns(item).map((run) => run.referenceId);
    const preview = referenceId && (await drawDashboardPreview(deps, caller, { item, asOf: momentOf(tabs) }));
    if (preview) {
      files.push({ ...preview, referenceId });
      previewOf = referenceId;
    }
  }
  const { title, description, filters } = item;
  const content = { kind, title, description, organization, asOf: momentOf(tabs), tabs, previewOf, filters };
  return { readAt, content, files, charts: publishedRuns(item) };
}

const inUtc = momentWriter({ locale: "en-GB", timeZone: "UTC" });

/** The picture that other sites show of a link to a dashboard: the upper part of its first tab with tiles. */
async function drawDashboardPreview(
  deps: Deps,
  caller: Caller,
  { item, asOf }: { item: ItemToPublish; asOf: string | null },
): Promise<DrawnFile | undefined> {
  const tab = item.tabs.find(({ tiles }) => tiles.some(({ kind }) => kind === "chart"));
  if (!tab) return undefined;
  const drawing = drawTabs(deps, caller, {
    title: item.title,
    moment: asOf === null ? "" : `As of ${inUtc(asOf)}`,
    tabs: [tab],
    chartOf: ({ referenceId, shows }) => {
      const found = findChart(item, referenceId);
      if (found.kind === "empty") return found;
      const { title, visualization, result } = found.chart;
      return {
        ...{ kind: "chart", title, notes: cutNotes(result), source: sourceOf(deps, caller, result) },
        visualization: shows === "chart" ? visualization : null,
      };
    },
    look: { scheme: "light", locale: "en", timeZone: "UTC", isCropped: true, ...dashboardPreview },
  });
  try {
    return toPreview(await drawing);
  } catch (error) {
    // The hosts are busy, or a newer result has replaced one of these: it is tried again.
    if (error instanceof AppError && ["unavailable", "result_expired"].includes(error.code)) throw error;
    // The page is there without a picture, as if the picture was too large.
    return undefined;
  }
}

/** The moment that all charts of a page show, if they show the same. */
function momentOf(tabs: PublishedContent["tabs"]): string | null {
  const moments = new Set(
    tabs.flatMap(({ tiles }) => tiles.flatMap((tile) => ("at" in tile ? [tile.at] : []))),
  );
  const [moment = null] = moments;
  return moments.size === 1 ? moment : null;
}

interface TileToPublish {
  tile: DashboardTile;
  item: ItemToPublish;
  tileNumber: number;
  maxCells: number;
  maxBytes: number;
}

const sizeOf = (files: readonly DrawnFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes.length, 0);

interface FoundTile {
  tile: PublishedTile;
  files: DrawnFile[];
  chart?: ChartToDraw;
}

/** What strangers read says nothing of names, failures and rights in the organization. */
const reasons = {
  hidden: "This chart is not public.",
  noResult: "There is no result yet.",
  personal: "The rows of this chart depend on who looks at it, so they are not public.",
  tooLarge: "This chart is too large for a public page.",
};

type PublicChart =
  | { kind: "empty"; title: string | null; reason: string }
  | { kind: "public"; chart: ShownChart & { result: NonNullable<ShownChart["result"]> } };

/** A chart that everybody may see, or why there is none. */
function findChart({ charts, runs }: ItemToPublish, referenceId: string): PublicChart {
  const chart = charts.get(referenceId);
  if (!chart) return { kind: "empty", title: null, reason: reasons.hidden };
  const { title, result } = chart;
  if (!result) return { kind: "empty", title, reason: reasons.noResult };
  if (!runs.has(result.runId)) return { kind: "empty", title, reason: reasons.personal };
  return { kind: "public", chart: { ...chart, result } };
}

async function publishTile(
  deps: Deps,
  caller: Caller,
  { tile, item, tileNumber, maxCells, maxBytes }: TileToPublish,
): Promise<FoundTile> {
  const { id, x, y, w, h } = tile;
  const place = { id, x, y, w, h };
  if (tile.kind === "text") return { tile: { kind: "text", ...place, text: tile.text }, files: [] };
  const empty = (reason: string, title: string | null): FoundTile => ({
    tile: { kind: "empty", ...place, title, reason },
    files: [],
  });
  const { referenceId, shows } = tile;
  const shown = findChart(item, referenceId);
  if (shown.kind === "empty") return empty(shown.reason, shown.title);
  const { title, visualization, result, snapshotAt } = shown.chart;
  const notes = cutNotes(result);
  const head = { ...place, referenceId, title, at: snapshotAt ?? result.completedAt };
  if (shows === "chart" && visualization !== null && visualization.type !== "table") {
    const chart = { title, visualization, result };
    const drawn = await drawTile(deps, caller, { chart, tile: tileNumber, place });
    if (!drawn || sizeOf(drawn.files) > maxBytes) return empty(reasons.tooLarge, title);
    const { description, files } = drawn;
    return { tile: { kind: "picture", ...head, notes, description }, files, chart };
  }
  const settings = shows === "chart" ? visualization : null;
  try {
    const first = await readFirstRows(deps, caller, { info: result, maxRows: rowsOfTable(settings) });
    if (!first) return empty(reasons.tooLarge, title);
    const table = toPlainRows({ ...first, rowCount: result.rowCount }, { visualization: settings, maxCells });
    const columns = table.columns.map(({ title, isNumber }) => ({ title, isNumber }));
    const remarks = [...table.notes, ...whatIsLeftOut(table), ...notes];
    return { tile: { kind: "table", ...head, columns, rows: table.rows, notes: remarks }, files: [] };
  } catch (error) {
    // Its settings cannot be read, or it is a pivot table of too many rows.
    if (error instanceof AppError && error.code !== "result_expired") return empty(reasons.tooLarge, title);
    throw error;
  }
}
