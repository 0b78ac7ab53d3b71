/**
 * Writes one row as CSV from pieces of its JSON: of a row that can be as large as a whole result, neither the row
 * nor one of its values is ever read at once. Texts and nested values are quoted whatever is in them, since their
 * end has not been seen when their beginning is written.
 */
export class LargeRow {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** What was begun and cannot be written yet: a number or a word, or an escape sequence of a text. */
  #begun = "";

  /** The CSV of the next piece, which must not end within a character. */
  write(json: string): string {
    const piece = this.#begun + json;
    let at = this.#begun.length;
    // Of a text's last escape sequence or, where two of them make one character, of the first of the two.
    let escapeAt = this.#inString ? 0 : -maxEscape;
    let start = 0;
    let csv = "";
    this.#begun = "";
    const upTo = (end: number) => {
      const text = piece.slice(start, end);
      start = end;
      return text;
    };
    for (; at < piece.length; at++) {
      const character = piece[at] ?? "";
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (character === "\\") {
          this.#escaped = true;
          if (at - escapeAt !== 6 || !firstHalf.test(piece.slice(escapeAt, at))) escapeAt = at;
        } else if (character === '"') {
          this.#inString = false;
          if (this.#depth > 1) continue;
          csv += `${decoded(upTo(at))}"`;
          start = at + 1;
        }
      } else if (character === '"') {
        this.#inString = true;
        if (this.#depth > 1) continue;
        csv += '"';
        start = at + 1;
        escapeAt = -maxEscape;
      } else if (character === "[" || character === "{") {
        this.#depth++;
        if (this.#depth === 1) start = at + 1;
        if (this.#depth === 2) csv += '"';
      } else if (character === "]" || character === "}") {
        this.#depth--;
        if (this.#depth === 0) return `${csv}${plain(upTo(at))}\r\n`;
        if (this.#depth === 1) csv += `${quoted(upTo(at + 1))}"`;
      } else if (character === "," && this.#depth === 1) {
        csv += `${plain(upTo(at))},`;
        start = at + 1;
      }
    }
    if (this.#depth > 1) return csv + quoted(upTo(at));
    if (this.#inString) csv += decoded(upTo(at - escapeAt < maxEscape ? escapeAt : at));
    this.#begun = piece.slice(start);
    return csv;
  }
}

// `\ud83d\ude00`: one character.
const maxEscape = 12;
const firstHalf = /^\\u[dD][89abAB]/;

const decoded = (text: string): string => quoted(String(JSON.parse(`"${text}"`)));
const quoted = (text: string): string => text.replaceAll('"', '""');
const plain = (word: string): string => (word === "null" ? "" : word);
