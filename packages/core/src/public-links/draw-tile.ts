import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { dashboardPictureWidth } from "@querybell/charts/chart-size";
import { AppError, type Caller, type Visualization } from "@querybell/domain";
import { pictureNames, previewName, tilePixels } from "@querybell/public-pages";
import type { Deps } from "../deps.ts";
import type { ShownResult } from "../results/get-result.ts";
import { readResult } from "../results/read-result.ts";

const compress = promisify(gzip);

export interface DrawnFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ChartToDraw {
  title: string;
  visualization: Visualization;
  result: ShownResult;
}

interface Size {
  width: number;
  height?: number;
}

/** The pictures of one tile: on a phone, a chart is as wide as the screen. */
const narrow = { width: 358, height: 300 };
const preview = { width: 1200, height: 630 };
/** A dashboard is drawn in its own width, and scaled to that of a preview. */
export const dashboardPreview = {
  scale: preview.width / dashboardPictureWidth,
  maxHeight: Math.round((preview.height * dashboardPictureWidth) / preview.width),
};
const minWidth = 200;
const minHeight = 120;
const maxHeight = 2000;
/** Of one file, compressed. */
const maxBytes = 1024 ** 2;

/** Draws the files of a tile, in engine hosts. Undefined if the chart is too large or cannot be drawn. */
export async function drawTile(
  deps: Deps,
  caller: Caller,
  { chart, tile, place }: { chart: ChartToDraw; tile: number; place: { w: number; h: number } },
): Promise<{ files: DrawnFile[]; description: string } | undefined> {
  const { width, height } = tilePixels(place);
  const wide = {
    width: Math.max(minWidth, width),
    height: Math.min(maxHeight, Math.max(minHeight, height)),
  };
  const drawn = await Promise.all(
    pictureNames(tile).map(async ({ width, scheme, name }) => ({
      name,
      svg: await draw(deps, caller, { chart, format: "svg", scheme, size: width === "wide" ? wide : narrow }),
    })),
  );
  const files: DrawnFile[] = [];
  for (const { name, svg } of drawn) {
    const bytes = svg && new Uint8Array(await compress(svg));
    if (!bytes || bytes.length > maxBytes) return undefined;
    files.push({ name, bytes });
  }
  return { files, description: describe(drawn[0]?.svg, chart.title) };
}

/** The picture that other sites show of a link to the page. */
export async function drawPreview(
  deps: Deps,
  caller: Caller,
  chart: ChartToDraw,
): Promise<DrawnFile | undefined> {
  const png = await draw(deps, caller, { chart, format: "png", scheme: "light", size: preview });
  return png && toPreview(png);
}

export const toPreview = (png: Uint8Array): DrawnFile | undefined =>
  png.length <= maxBytes ? { name: previewName, bytes: new Uint8Array(png) } : undefined;

interface Drawing {
  chart: ChartToDraw;
  format: "svg" | "png";
  scheme: "light" | "dark";
  size: Size;
}

async function draw(
  deps: Deps,
  caller: Caller,
  { chart: { title, visualization, result }, format, scheme, size }: Drawing,
): Promise<Uint8Array | undefined> {
  const { pieces } = await readResult(deps, caller, result);
  const look = { format, scheme, scale: 1, locale: "en", timeZone: "UTC" } as const;
  const outcome = await deps.engines.drawPicture({
    organizationId: caller.organizationId,
    picture: { ...look, ...size, title, visualization },
    result: { cut: result.cutBy !== null, read: () => pieces },
  });
  if (outcome.kind === "drawn") return outcome.bytes;
  if (outcome.kind === "failed" && outcome.failure.code === "cancelled") {
    throw new AppError("unavailable", outcome.failure.message);
  }
  return undefined;
}

const entities: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** The sentence for those who cannot see the picture, which is the title of the SVG. A host wrote it: it is only text. */
function describe(svg: Uint8Array | undefined, title: string): string {
  const start = Buffer.from(svg ?? []).toString("utf8", 0, 8000);
  const [, text] = /<title>([^<]{1,2000})<\/title>/.exec(start) ?? [];
  return text?.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? "") ?? title;
}
