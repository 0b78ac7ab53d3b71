/**
 * Up to this code, a text is as wide as its letters together. Others can combine, or run from right to left.
 */
const maxKnownCode = 0x2ff;

const byFont = new Map<string, TextWidths>();

/** The widths of texts in the font of an element. */
export function textWidthsOf(element: Element): TextWidths {
  const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(element);
  const font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  const known = byFont.get(font) ?? new TextWidths(font);
  byFont.set(font, known);
  return known;
}

/**
 * Computes the widths of texts from those of their letters, each measured once. Asking the browser would
 * force a layout. Clipping a cell costs more than drawing its text, so only cells whose text does not fit are
 * clipped.
 */
export class TextWidths {
  readonly #context: CanvasRenderingContext2D | null;
  readonly #widths = new Float64Array(maxKnownCode + 1);

  constructor(font: string) {
    this.#context = document.createElement("canvas").getContext("2d");
    if (this.#context) this.#context.font = font;
    // Tabular figures: all digits have the same width.
    const digits = [..."0123456789"];
    const widest = Math.max(...digits.map((digit) => this.#measure(digit)));
    for (const digit of digits) this.#widths[digit.charCodeAt(0)] = widest;
  }

  widthOf(text: string): number {
    let width = 0;
    for (let index = 0; index < text.length; index++) width += this.#letterWidth(text.charCodeAt(index));
    return Number.isFinite(width) ? width : this.#measure(text);
  }

  /** False for a text whose width is not the sum of its letters: it may not fit. */
  fits(text: string, width: number): boolean {
    let left = width;
    for (let index = 0; index < text.length; index++) {
      left -= this.#letterWidth(text.charCodeAt(index));
      if (left < 0) return false;
    }
    return true;
  }

  #letterWidth(code: number): number {
    if (code < 0x20 || code > maxKnownCode) return Number.POSITIVE_INFINITY;
    const known = this.#widths[code] ?? 0;
    if (known > 0) return known;
    const width = this.#measure(String.fromCharCode(code));
    this.#widths[code] = width;
    return width;
  }

  #measure(text: string): number {
    return this.#context?.measureText(text).width ?? 0;
  }
}
