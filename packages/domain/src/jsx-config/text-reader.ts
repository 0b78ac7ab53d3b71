import { AppError, describePosition, positionAt } from "../app-error.ts";

/** Reads a text from start to end. Its errors contain the line and column. */
export class TextReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get position(): number {
    return this.#at;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Consumes the match of a sticky pattern at the current position. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  accept(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  expect(text: string, sentence: string): void {
    if (!this.accept(text)) this.refuse(sentence);
  }

  /** Reads up to `end` and consumes `end`. */
  takeUntil(end: string, sentence: string): string {
    const at = this.#text.indexOf(end, this.#at);
    if (at === -1) return this.refuse(sentence);
    const taken = this.#text.slice(this.#at, at);
    this.#at = at + end.length;
    return taken;
  }

  refuse(sentence: string, at = this.#at): never {
    const position = positionAt(this.#text, at);
    const place = describePosition(position);
    throw new AppError("invalid_visualization", `At ${place} of jsxConfig: ${sentence}`, {
      errors: [{ path: "visualization.jsxConfig", message: `${place}: ${sentence}`, position }],
    });
  }
}
