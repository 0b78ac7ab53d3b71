import { z } from "zod";
import { ConditionStatus } from "./automation-conditions.ts";
import { AutomationFailure } from "./automation-runs.ts";
import { AutomationAgent } from "./automations.ts";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { RunFailureCode } from "./run-reports.ts";
import { RunStatus } from "./runs.ts";
import { Text } from "./text.ts";
import { Timestamp } from "./time.ts";

/** What is kept in folders. */
export const ItemKind = z.enum(["query", "reference", "automation", "dashboard"]);
export type ItemKind = z.infer<typeof ItemKind>;

const maxItems = 100;

const itemsOf = <Kind extends z.ZodType>(kind: Kind) =>
  z
    .array(z.strictObject({ kind, id: Id }))
    .min(1, "must name at least one item")
    .max(maxItems, `must be at most ${maxItems}`)
    .describe("A reference is named by its id, not by its short id");

export const Items = z.strictObject({ items: itemsOf(ItemKind) });
export type Items = z.infer<typeof Items>;

export const ItemId = z.strictObject({ kind: ItemKind, id: Id });
export type ItemId = z.infer<typeof ItemId>;

export const MoveItems = Items.extend({
  folderId: Id.nullable().describe("Null: out of all folders"),
});
export type MoveItems = z.infer<typeof MoveItems>;

/** Automations are paused, not archived. */
const ArchivableKind = z.enum(["query", "reference", "dashboard"]);

export const ArchiveItems = z.strictObject({
  items: itemsOf(ArchivableKind),
  isArchived: z.boolean().describe("False brings them back into the lists"),
});
export type ArchiveItems = z.infer<typeof ArchiveItems>;

export const DuplicateItems = z.strictObject({ items: itemsOf(ArchivableKind) });
export type DuplicateItems = z.infer<typeof DuplicateItems>;

export const ItemAddress = z.object({
  kind: ItemKind,
  id: Id,
  shortId: z.string().nullable().describe("The short id of a reference; null for other kinds"),
  title: z.string(),
});
export type ItemAddress = z.infer<typeof ItemAddress>;

const FavouriteKind = z.enum([...ItemKind.options, "folder"]);

export const SetFavourite = z.strictObject({
  kind: FavouriteKind,
  id: Id,
  isFavourite: z.boolean(),
});
export type SetFavourite = z.infer<typeof SetFavourite>;

export const Favourite = ItemAddress.extend({ kind: FavouriteKind });
export type Favourite = z.infer<typeof Favourite>;

/** For how long a deletion can be undone. */
export const undoSeconds = 60;

export const Deletion = z.object({
  id: Id.describe("For `library.undoDelete`"),
  undoUntil: Timestamp,
});
export type Deletion = z.infer<typeof Deletion>;

/** A deletion that the caller can still undo. */
export const UndoableDeletion = Deletion.extend({
  secondsLeft: z.number().describe("For how long it can be undone, by the server's clock"),
  items: z
    .array(ItemAddress.pick({ kind: true, id: true, title: true }))
    .describe("Without the references that were deleted with their query"),
});
export type UndoableDeletion = z.infer<typeof UndoableDeletion>;

export const DeletionId = z.strictObject({ id: Id });
export type DeletionId = z.infer<typeof DeletionId>;

const some = <Item extends z.ZodType>(item: Item) =>
  z.object({ total: z.int(), first: z.array(item).describe("At most ten of them") });

/** What is affected when items are deleted. */
export const Dependents = z.object({
  references: some(z.object({ shortId: z.string(), title: z.string() })).describe(
    "The references that are deleted, also those of the queries: their permalinks end",
  ),
  automations: some(z.object({ id: Id, name: z.string(), enabled: z.boolean() })).describe(
    "The automations that use one of these references: their runs fail until it is removed there",
  ),
  dashboards: some(z.object({ id: Id, title: z.string() })).describe(
    "The dashboards that show one of these references: its tile says that it was deleted",
  ),
  queries: some(z.object({ id: Id, name: z.string().nullable() })).describe(
    "The queries that take choices from one of these queries: their fields say that it was deleted",
  ),
});
export type Dependents = z.infer<typeof Dependents>;

export const ItemSort = z.enum(["name", "updated", "lastRun", "creator"]);
export type ItemSort = z.infer<typeof ItemSort>;

/** A live list of one kind of items. Every filter is optional. */
export const ListItems = ListPage.extend({
  kind: ItemKind,
  sort: ItemSort.default("updated").describe(
    "`creator` sorts by the creator's name, then by the last change, newest first",
  ),
  // Not "direction": tRPC's infinite queries use that name for their own.
  order: z.enum(["ascending", "descending"]).default("descending"),
  search: Text.trim()
    .min(1, "must not be empty")
    .max(200, "must have at most 200 characters")
    .optional()
    .describe("Words; each matches as a prefix, in names, descriptions, SQL and instructions"),
  folderId: Id.nullable().optional().describe("Null: those in no folder"),
  withSubfolders: z.boolean().default(false).describe("Also those in folders below `folderId`"),
  analyticalDatabaseConfigId: Id.optional(),
  createdBy: Id.optional(),
  isFavourite: z.literal(true).optional().describe("Only the caller's favourites"),
  isArchived: z.boolean().default(false).describe("Whether to list archived items instead of the others"),
});
export type ListItems = z.infer<typeof ListItems>;

const item = {
  id: Id,
  title: z.string(),
  folderId: Id.nullable(),
  isFavourite: z.boolean(),
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastRunAt: Timestamp.nullable().describe("When the latest run was started; null if there was none"),
};

const AutomationRunState = z.object({
  shortId: z.string().describe("The short id of the run's chat"),
  status: RunStatus,
  isQueued: z.boolean(),
  failure: AutomationFailure.nullable(),
  runAt: Timestamp,
  completedAt: Timestamp.nullable(),
});

export const LibraryItem = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("query"),
    ...item,
    description: z.string().nullable(),
    isArchived: z.boolean(),
    isNamed: z.boolean().describe("If false, the title is the first line of the SQL"),
    sql: z.string().describe("The first 200 characters"),
    analyticalDatabaseConfigId: Id,
    latestRun: z.object({ status: RunStatus, failureCode: RunFailureCode.nullable() }).nullable(),
  }),
  z.object({
    kind: z.literal("reference"),
    ...item,
    description: z.string().nullable(),
    isArchived: z.boolean(),
    shortId: z.string(),
    queryId: Id,
    analyticalDatabaseConfigId: Id,
  }),
  z.object({
    kind: z.literal("dashboard"),
    ...item,
    description: z.string().nullable(),
    isArchived: z.boolean(),
    charts: z.int().describe("How many charts it shows"),
  }),
  z.object({
    kind: z.literal("automation"),
    ...item,
    enabled: z.boolean(),
    schedule: z.object({ cron: z.string(), timeZone: z.string() }).nullable(),
    nextRunAt: Timestamp.nullable(),
    conditionStatus: ConditionStatus.nullable().describe(
      "The state of its condition; null if it has none, or none was judged yet",
    ),
    latestRun: AutomationRunState.nullable(),
    latestEndedRun: AutomationRunState.extend({ agent: AutomationAgent, summary: z.string().nullable() })
      .nullable()
      .describe("With the first 500 characters of its summary"),
  }),
]);
export type LibraryItem = z.infer<typeof LibraryItem>;
