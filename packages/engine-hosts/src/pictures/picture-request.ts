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
