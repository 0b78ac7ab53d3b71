import { rowHeight } from "./grid-sizes.ts";
import classes from "./result-grid.module.css";

/**
 * The numbers of the rows in sight: one text with a line for each, which stays at the left while the rows are scrolled
 * sideways. Screen readers hear a row's number from the row itself.
 */
export class RowNumbers {
  readonly element = document.createElement("div");
  readonly #lines = document.createElement("div");
  readonly #text = document.createTextNode("");
  #first = -1;
  #last = -1;

  constructor() {
    this.element.className = classes.numbers ?? "";
    this.element.ariaHidden = "true";
    this.#lines.className = classes.lines ?? "";
    this.#lines.append(this.#text);
    this.element.append(this.#lines);
  }

  show(first: number, last: number): void {
    if (first === this.#first && last === this.#last) return;
    this.#first = first;
    this.#last = last;
    let text = "";
    for (let index = first; index < last; index++) text += `${index + 1}\n`;
    this.#text.data = text;
    this.#lines.style.transform = `translateY(${first * rowHeight}px)`;
  }
}
