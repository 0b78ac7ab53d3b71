type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children; `true` sets an attribute without a value, `false` leaves it out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", class: "quiet" }, label);
  made.addEventListener("click", onClick);
  return made;
}

export const link = (href: string, label: string): HTMLAnchorElement => element("a", { href }, label);
