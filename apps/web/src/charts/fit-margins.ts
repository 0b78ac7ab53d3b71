import type { Visualization } from "./visualization.ts";

type Margins = Visualization["marginConfig"];

/** The largest margin that the form takes. Others may be stored: the api takes more. */
export const maxMargin = 200;

/** Makes margins smaller that would take more than half of the width or of the height away from the drawing. */
export function fitMargins(margins: Margins, { width, height }: { width: number; height: number }): Margins {
  const across = share(margins.left + margins.right, width);
  const down = share(margins.top + margins.bottom, height);
  return {
    top: margins.top * down,
    right: margins.right * across,
    bottom: margins.bottom * down,
    left: margins.left * across,
  };
}

/** What both margins of a direction are multiplied by. */
const share = (wanted: number, size: number) => (wanted > size / 2 ? size / 2 / wanted : 1);
