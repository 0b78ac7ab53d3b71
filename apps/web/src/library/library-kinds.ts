import type { ItemKind } from "./items.ts";

/** A kind of items and the address of its list. */
export interface LibraryKind {
  kind: ItemKind;
  to: "/queries" | "/charts" | "/automations" | "/dashboards";
}

export const libraryKinds = {
  query: { kind: "query", to: "/queries" },
  reference: { kind: "reference", to: "/charts" },
  automation: { kind: "automation", to: "/automations" },
  dashboard: { kind: "dashboard", to: "/dashboards" },
} as const satisfies Record<ItemKind, LibraryKind>;
