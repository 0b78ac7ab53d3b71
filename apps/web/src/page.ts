import { element } from "./element.ts";

/** What one address shows. */
export interface Page {
  title: string;
  content: Node[];
}

/** Shows a page; when it replaces another, the keyboard and the screen reader move to its beginning. */
export function show({ title, content }: Page): void {
  const main = document.querySelector("main");
  const replaced = main?.querySelector("h1");
  document.title = title === "Querybell" ? title : `${title} · Querybell`;
  main?.replaceChildren(...content);
  if (replaced) main?.focus();
}

/** A page with one thing to do, or one thing to say. */
export function cardPage(title: string, ...content: Node[]): Page {
  const heading = element("h1", { id: "title" }, title);
  return { title, content: [element("div", { class: "card alone" }, heading, ...content)] };
}

export const paragraph = (...content: (Node | string)[]): HTMLParagraphElement =>
  element("p", {}, ...content);
