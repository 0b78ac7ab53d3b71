import { Id, Timestamp } from "@querybell/domain";
import { z } from "zod";

const place = { id: z.string(), x: z.int(), y: z.int(), w: z.int(), h: z.int() };
const chart = { ...place, referenceId: Id, title: z.string() };
/** When the result was computed, or the moment that it shows. */
const result = { at: Timestamp, notes: z.array(z.string()) };

/** A tile of a published page, with all that it shows. */
export const PublishedTile = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), ...place, text: z.string() }),
  /** Its files have the names of `pictureNames`. */
  z.object({ kind: z.literal("picture"), ...chart, ...result, description: z.string() }),
  z.object({
    kind: z.literal("table"),
    ...chart,
    ...result,
    columns: z.array(z.object({ title: z.string(), isNumber: z.boolean() })),
    /** The cells as they are shown. */
    rows: z.array(z.array(z.string())),
  }),
  z.object({ kind: z.literal("empty"), ...place, title: z.string().nullable(), reason: z.string() }),
]);
export type PublishedTile = z.infer<typeof PublishedTile>;

/** A filter that visitors can change. */
export const PublishedFilter = z.object({
  name: z.string(),
  label: z.string(),
  description: z.string(),
  input: z.enum(["text", "number", "date", "boolean"]),
  value: z.string(),
  choices: z.array(z.object({ value: z.string(), label: z.string() })).nullable(),
});
export type PublishedFilter = z.infer<typeof PublishedFilter>;

/** What core stores for a page, and the public process shows. */
export const PublishedContent = z.object({
  kind: z.enum(["reference", "dashboard"]),
  title: z.string(),
  description: z.string().nullable(),
  organization: z.string(),
  /** The moment that all charts show, if they show the same. */
  asOf: Timestamp.nullable(),
  tabs: z.array(z.object({ id: z.string(), title: z.string(), tiles: z.array(PublishedTile) })),
  /** A chart on the picture for link previews; null if there is no picture. */
  previewOf: Id.nullable(),
  /** Those that visitors can change. */
  filters: z.array(PublishedFilter).optional(),
});
export type PublishedContent = z.infer<typeof PublishedContent>;

const widths = ["wide", "narrow"] as const;
const schemes = ["light", "dark"] as const;

/** The files of the picture in a tile: for wide screens and phones, in light and dark. `tile` is its number on the page. */
export const pictureNames = (tile: number) =>
  widths.flatMap((width) =>
    schemes.map((scheme) => ({ width, scheme, name: `${tile}-${width}-${scheme}.svg` })),
  );

export const previewName = "preview.png";

/** The size of the grid: as in dashboard.module.css of the web app, in a page of this width. */
const pageWidth = 1200;
const gap = 16;
const rowHeight = 40;

/** The size of a tile in pixels, on a wide screen. */
export const tilePixels = ({ w, h }: { w: number; h: number }) => ({
  width: Math.floor((w * (pageWidth + gap)) / 12 - gap),
  height: h * (rowHeight + gap) - gap,
});
