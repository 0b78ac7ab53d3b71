/** Text that is HTML: everything in it was escaped, or is ours. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

type Part = Html | string | number | null | undefined | readonly (Html | string)[];

function write(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined) return "";
  if (typeof part === "object") return part.map(write).join("");
  return String(part).replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter);
}

/** Writes HTML. Every value is escaped, unless it is HTML itself. Values of attributes stand in quotes. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.map((text, at) => text + (at < parts.length ? write(parts[at]) : "")).join(""));
