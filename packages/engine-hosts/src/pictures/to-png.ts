import { createRequire } from "node:module";
import { Resvg } from "@resvg/resvg-js";

const require = createRequire(import.meta.url);

/** The fonts of pictures. The second has the letters that the first lacks. */
export const fontFiles: readonly string[] = [
  require.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"),
  require.resolve("@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf"),
  require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
];

/** Draws an SVG of ours, which refers to nothing outside of it, as a PNG with this many pixels for each of its units. */
export function toPng(svg: string, scale: number): Uint8Array {
  const image = new Resvg(svg, {
    fitTo: { mode: "zoom", value: scale },
    font: {
      loadSystemFonts: false,
      fontFiles: [...fontFiles],
      defaultFontFamily: "Inter",
      sansSerifFamily: "Inter",
    },
    logLevel: "off",
  });
  return image.render().asPng();
}
