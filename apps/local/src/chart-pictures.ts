// pnpm charts:pictures: draws the forty shapes of data to look at, light and dark, as PNG in .data/chart-pictures.
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { drawPicture } from "@querybell/charts";
import { shapes } from "@querybell/charts/testing/shapes";
import { toPng } from "@querybell/engine-hosts/pictures/to-png";

const folder = fileURLToPath(new URL("../../../.data/chart-pictures/", import.meta.url));
await mkdir(folder, { recursive: true });
for (const scheme of ["light", "dark"] as const) {
  for (const [index, { name, visualization, rows }] of shapes.entries()) {
    const options = { title: name, width: 960, scheme, locale: "en", timeZone: "UTC" };
    const svg = drawPicture(visualization, rows, options);
    const file = `${String(index + 1).padStart(2, "0")} ${name.replace(/[^\w ,-]/g, "")} ${scheme}.png`;
    if (svg !== undefined) await writeFile(`${folder}${file}`, toPng(svg, 1));
  }
}
console.log(`${shapes.length} shapes, light and dark: ${folder}`);
