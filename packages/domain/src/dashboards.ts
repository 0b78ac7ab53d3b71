import { z } from "zod";
import { DashboardFilters, FilterValues, GivenFilters, noFilters, TileClick } from "./dashboard-filters.ts";
import { gridColumns, overlaps, type TilePlace } from "./dashboard-grid.ts";
import { EngineKind } from "./databases.ts";
import { Id } from "./ids.ts";
import { ResultInfo } from "./runs.ts";
import { Schedule } from "./schedules/schedule.ts";
import { nameUpTo, Text } from "./text.ts";
import { Timestamp } from "./time.ts";
import { Visualization } from "./visualizations.ts";

const maxRow = 10_000;
const maxTileRows = 100;
const maxTabs = 20;
const maxTiles = 100;
/** A refresh runs the query of each. */
export const maxDashboardCharts = 50;
const maxText = 10_000;

/** Chosen by the client. */
const TileId = nameUpTo(40).meta({
  description: "Chosen by the client, unique among the tiles or tabs of the dashboard",
  examples: ["a1"],
});

const place = {
  id: TileId,
  x: z
    .int()
    .min(0, "must be at least 0")
    .max(gridColumns - 1, `must be at most ${gridColumns - 1}`),
  y: z.int().min(0, "must be at least 0").max(maxRow, `must be at most ${maxRow}`),
  w: z.int().min(1, "must be at least 1").max(gridColumns, `must be at most ${gridColumns}`),
  h: z.int().min(1, "must be at least 1").max(maxTileRows, `must be at most ${maxTileRows}`),
};

/** What a tile shows, and where: `x`, `y`, `w` and `h` are counted in cells of the grid. */
export const DashboardTile = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("chart"),
    ...place,
    referenceId: Id,
    shows: z
      .enum(["chart", "table"])
      .describe("The chart as it is saved, which may be a table or a single number, or its rows as a table"),
    click: TileClick.optional(),
  }),
  z.strictObject({
    kind: z.literal("text"),
    ...place,
    text: Text.max(maxText, `must have at most ${maxText} characters`).describe("Markdown, without HTML"),
  }),
]);
export type DashboardTile = z.infer<typeof DashboardTile>;

const DashboardTab = z.strictObject({
  id: TileId,
  title: nameUpTo(100),
  tiles: z.array(DashboardTile).max(maxTiles, `must be at most ${maxTiles}`),
});
export type DashboardTab = z.infer<typeof DashboardTab>;

const hasOverlaps = (tiles: readonly TilePlace[]): boolean =>
  tiles.some((tile, at) => tiles.slice(at + 1).some((other) => overlaps(tile, other)));

export const DashboardContent = z
  .strictObject({
    tabs: z
      .array(DashboardTab)
      .min(1, "must have at least one tab")
      .max(maxTabs, `must be at most ${maxTabs}`),
    filters: GivenFilters.default(noFilters),
  })
  .superRefine(({ tabs, filters }, context) => {
    const refuse = (message: string, path: (string | number)[] = ["tabs"]) =>
      context.addIssue({ code: "custom", message, path });
    const tiles = tabs.flatMap((tab) => tab.tiles);
    if (tiles.length > maxTiles) return refuse(`must have at most ${maxTiles} tiles`);
    for (const named of [tabs, tiles]) {
      if (new Set(named.map(({ id }) => id)).size < named.length) refuse("must not use an id twice");
    }
    if (tiles.filter(({ kind }) => kind === "chart").length > maxDashboardCharts)
      refuse(`must have at most ${maxDashboardCharts} charts`);
    const names = new Set(filters.definitions.map(({ name }) => name));
    for (const tile of tiles) {
      const filter = tile.kind === "chart" && tile.click?.does === "filter" ? tile.click.filter : undefined;
      if (filter !== undefined && !names.has(filter))
        refuse(`must not set the filter ${filter} by a click: it is not defined`);
    }
    for (const [at, tab] of tabs.entries()) {
      if (tab.tiles.some(({ x, w }) => x + w > gridColumns))
        refuse(`must end within the ${gridColumns} columns`, ["tabs", at, "tiles"]);
      if (hasOverlaps(tab.tiles)) refuse("must not overlap", ["tabs", at, "tiles"]);
    }
  });
export type DashboardContent = z.infer<typeof DashboardContent>;

const Title = nameUpTo(200);
const Description = Text.max(2000, "must have at most 2000 characters").nullable();

/** When a dashboard is refreshed without somebody who asks for it. */
const AutoRefresh = z.strictObject({
  schedule: Schedule.nullable()
    .meta({ examples: [{ cron: "0 9 * * *", timeZone: "Europe/Berlin" }] })
    .describe("Null: not by a schedule. Whoever sets it is the person with whose rights it is refreshed"),
  onOpenSeconds: z
    .int()
    .min(60, "must be at least 60")
    .max(31 * 86_400, `must be at most ${31 * 86_400}`)
    .nullable()
    .describe("Opening it in the web app refreshes it if its last refresh is older than this; null: never"),
});
export type AutoRefresh = z.infer<typeof AutoRefresh>;

/** Without content: one empty tab. */
export const CreateDashboard = z.strictObject({
  title: Title,
  description: Description.default(null),
  content: DashboardContent.optional(),
  folderId: Id.nullable().default(null),
});
export type CreateDashboard = z.infer<typeof CreateDashboard>;

/** Absent fields are not changed. */
export const UpdateDashboard = z.strictObject({
  id: Id,
  title: Title.optional(),
  description: Description.optional(),
  content: DashboardContent.optional(),
  version: z.int().optional().describe("The version on which the content is based: another one is refused"),
  autoRefresh: AutoRefresh.optional(),
});
export type UpdateDashboard = z.infer<typeof UpdateDashboard>;

export const DashboardId = z.strictObject({ id: Id });
export type DashboardId = z.infer<typeof DashboardId>;

/** A dashboard with the values of its filters. */
export const DashboardWithValues = DashboardId.extend({
  filterValues: FilterValues.optional().describe(
    "By the name of the filter, as texts: a list has commas or is a JSON array. Absent filters have their defaults",
  ),
});
export type DashboardWithValues = z.infer<typeof DashboardWithValues>;

export const RefreshDashboard = DashboardWithValues.extend({
  maxAgeSeconds: z
    .int()
    .min(0, "must be at least 0")
    .max(31 * 86_400, `must be at most ${31 * 86_400}`)
    .optional()
    .describe(
      "A refresh that is unfinished or not older than this is returned instead, whoever started it, if it is one of all charts that the caller sees",
    ),
});
export type RefreshDashboard = z.infer<typeof RefreshDashboard>;

export const Dashboard = z.object({
  id: Id,
  title: z.string(),
  description: z.string().nullable(),
  content: z.object({
    tabs: z.array(DashboardTab.strip()),
    filters: DashboardFilters.default(noFilters),
  }),
  version: z.int().describe("Incremented with each change of the content"),
  versionBy: Id.describe("Who wrote this version"),
  versionAt: Timestamp,
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  autoRefresh: z.object({
    schedule: z.object({ cron: z.string(), timeZone: z.string() }).nullable(),
    onOpenSeconds: z.int().nullable(),
  }),
});
export type Dashboard = z.infer<typeof Dashboard>;

/** A chart of a dashboard. What the caller may not see has no title. */
export const DashboardChart = z.discriminatedUnion("state", [
  z.object({ state: z.literal("hidden"), referenceId: Id }).describe("The caller may not see it"),
  z.object({ state: z.literal("deleted"), referenceId: Id }),
  z.object({
    state: z.literal("shown"),
    referenceId: Id,
    shortId: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    visualization: Visualization.nullable(),
    queryId: Id.nullable().describe("Null while the chart waits for its query"),
    database: z.object({ id: Id, name: z.string(), engine: EngineKind }).nullable(),
    result: ResultInfo.extend({
      isExpired: z.boolean().describe("Whether it is older than its lifetime. The page still shows it"),
    })
      .nullable()
      .describe("That of the dashboard's last refresh, or else the newest stored one for its defaults"),
    snapshotAt: Timestamp.nullable().describe("The moment that the result shows; null if it ran by itself"),
    placeholders: z.array(z.string()).describe("The placeholders that a filter can feed"),
    feeds: z
      .array(z.object({ filter: z.string(), placeholder: z.string() }))
      .describe("Which filters feed which of its placeholders"),
    missing: z.string().nullable().describe("Why there is no result"),
    failure: z.string().nullable().describe("Why the last refresh has no result for it, if it has none"),
  }),
]);
export type DashboardChart = z.infer<typeof DashboardChart>;

export const DashboardRefresh = z.object({
  id: Id,
  startedAt: Timestamp,
  startedBy: Id,
  runsTotal: z.int(),
  runsDone: z
    .int()
    .describe("How many queries have run. All results are stored together, after the last one"),
  isUnfinished: z.boolean(),
});
export type DashboardRefresh = z.infer<typeof DashboardRefresh>;

export const DashboardRefreshId = z.strictObject({ id: Id });
export type DashboardRefreshId = z.infer<typeof DashboardRefreshId>;

export const DashboardDetail = Dashboard.extend({
  mayEdit: z.boolean(),
  instants: z
    .array(z.object({ databaseId: Id, name: z.string(), at: Timestamp }))
    .describe("By database: the moment that its charts show, unless a chart has another `snapshotAt`"),
  refresh: DashboardRefresh.nullable().describe("The last refresh with these values of the filters"),
  isRefreshed: z.boolean().describe("Whether results of a refresh with these values are stored"),
  isOutdated: z
    .boolean()
    .describe("Whether the last refresh is older than `autoRefresh.onOpenSeconds` allows when it is opened"),
  nextRefreshAt: Timestamp.nullable().describe("Null if it has no schedule or is archived"),
  refreshFailure: z.string().nullable().describe("Why the last refresh by schedule has failed, if it has"),
  filterErrors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .describe("What is wrong with the values of the filters. No chart has a result then"),
  charts: z.array(DashboardChart).describe("One for each reference in the content"),
});
export type DashboardDetail = z.infer<typeof DashboardDetail>;

export const DashboardVersion = z.object({ version: z.int(), createdBy: Id, createdAt: Timestamp });
export type DashboardVersion = z.infer<typeof DashboardVersion>;

export const DashboardVersionNumber = z.strictObject({ id: Id, version: z.int().min(1) });
export type DashboardVersionNumber = z.infer<typeof DashboardVersionNumber>;

export const DashboardVersionDetail = DashboardVersion.extend({ content: Dashboard.shape.content });
export type DashboardVersionDetail = z.infer<typeof DashboardVersionDetail>;
