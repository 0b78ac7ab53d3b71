import { Visualization } from "@querybell/domain/visualizations";
import { z } from "zod";

/** What a host needs to draw the picture of a chart, besides the stored result. */
export const PictureRequest = z.object({
  format: z.enum(["svg", "png"]),
  visualization: Visualization,
  title: z.string(),
  /** In pixels of the page; a PNG has `scale` times as many. */
  width: z.int().min(200).max(2000),
  height: z.int().min(120).max(2000).optional(),
  scale: z.number().min(1).max(2),
  scheme: z.enum(["light", "dark"]),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});
export type PictureRequest = z.infer<typeof PictureRequest>;

const place = { x: z.int(), y: z.int(), w: z.int(), h: z.int() };

/** What a host needs to draw a whole dashboard, besides the stored results of its charts. */
export const DashboardPictureRequest = z.object({
  title: z.string(),
  /** In words. */
  moment: z.string(),
  tabs: z.array(
    z.object({
      title: z.string(),
      tiles: z.array(
        z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("text"), ...place, text: z.string() }),
          z.object({ kind: z.literal("empty"), ...place, title: z.string().nullable(), reason: z.string() }),
          z.object({
            kind: z.literal("chart"),
            ...place,
            title: z.string(),
            /** Null: its rows as a table. */
            visualization: Visualization.nullable(),
            notes: z.array(z.string()),
            /** The position of its result among those that follow as input. */
            result: z.int(),
          }),
        ]),
      ),
    }),
  ),
  scheme: z.enum(["light", "dark"]),
  scale: z.number().min(0.5).max(2),
  /** In pixels of the page. */
  maxHeight: z.int().min(200).max(8000),
  /** Whether it has exactly this height, and tiles end at its edge. Otherwise tiles that do not fit are left out. */
  isCropped: z.boolean(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});
export type DashboardPictureRequest = z.infer<typeof DashboardPictureRequest>;
