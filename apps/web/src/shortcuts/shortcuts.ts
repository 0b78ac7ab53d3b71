interface Shortcut {
  /** Where it works. */
  place: ShortcutPlace;
  label: string;
  /** The keys: `mod` is Ctrl, or Command on a Mac. */
  keys: string;
}

/** The places, in the order of the list of shortcuts. */
export const shortcutPlaces = [
  "On every page",
  "On the page of a query",
  "In the editor",
  "While a dashboard is edited",
  "In rows",
] as const;
type ShortcutPlace = (typeof shortcutPlaces)[number];

/** All shortcuts. Pages and the list of shortcuts take the keys from here, so that the list agrees with the pages. */
export const shortcuts = {
  search: { place: "On every page", label: "Search or run a command", keys: "mod+K" },
  showShortcuts: { place: "On every page", label: "Show the keyboard shortcuts", keys: "?" },
  undoLast: {
    place: "On every page",
    label: "Undo what was just deleted, moved or discarded",
    keys: "mod+Z",
  },
  run: { place: "On the page of a query", label: "Run", keys: "mod+Enter" },
  save: { place: "On the page of a query", label: "Save", keys: "mod+S" },
  complete: { place: "In the editor", label: "Suggest words, tables and columns", keys: "ctrl+Space" },
  comment: { place: "In the editor", label: "Comment lines out, or in again", keys: "mod+/" },
  find: { place: "In the editor", label: "Find and replace", keys: "mod+F" },
  undo: { place: "In the editor", label: "Undo", keys: "mod+Z" },
  redo: { place: "In the editor", label: "Redo", keys: "mod+shift+Z" },
  undoChange: { place: "While a dashboard is edited", label: "Undo the last change", keys: "mod+Z" },
  redoChange: { place: "While a dashboard is edited", label: "Redo it", keys: "mod+shift+Z" },
  openCell: { place: "In rows", label: "Show the whole value", keys: "Enter" },
  copyCells: { place: "In rows", label: "Copy the selected cells", keys: "mod+C" },
  selectAll: { place: "In rows", label: "Select all rows", keys: "mod+A" },
  clearSelection: { place: "In rows", label: "Clear the selection", keys: "Escape" },
  narrowColumn: {
    place: "In rows",
    label: "Make a column narrower, from its heading",
    keys: "shift+ArrowLeft",
  },
  widenColumn: { place: "In rows", label: "Make a column wider, from its heading", keys: "shift+ArrowRight" },
  resetColumn: {
    place: "In rows",
    label: "Give a column its usual width, from its heading",
    keys: "shift+Home",
  },
} as const satisfies Record<string, Shortcut>;

export type ShortcutName = keyof typeof shortcuts;

/** The part of a keyboard event by which a shortcut is recognized. */
export type PressedKey = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

export function isShortcut(event: PressedKey, name: ShortcutName): boolean {
  const { key, modifiers } = parse(name);
  const isCommand = modifiers.includes("mod") || modifiers.includes("ctrl");
  if (event.key.toLowerCase() !== key.toLowerCase()) return false;
  if ((event.ctrlKey || event.metaKey) !== isCommand) return false;
  // Keyboards need Shift or Alt for some of these signs.
  if (/^[^\w\s]$/.test(key)) return true;
  return event.shiftKey === modifiers.includes("shift") && !event.altKey;
}

function parse(name: ShortcutName): { key: string; modifiers: string[] } {
  const modifiers = shortcuts[name].keys.split("+");
  const key = modifiers.pop() ?? "";
  return { key, modifiers };
}

/** The keys as CodeMirror writes them: `Mod-Enter`. */
export function editorKey(name: ShortcutName): string {
  const { key, modifiers } = parse(name);
  const names = modifiers.map((modifier) => modifier.charAt(0).toUpperCase() + modifier.slice(1));
  return [...names, /^[A-Z]$/.test(key) ? key.toLowerCase() : key].join("-");
}

const isMac = typeof navigator !== "undefined" && /Mac|iP(?:hone|ad)/.test(navigator.platform);

const keyNames: Record<string, string> = {
  mod: isMac ? "⌘" : "Ctrl",
  ctrl: "Ctrl",
  shift: "Shift",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** The names of the keys on this machine: Ctrl, Enter. */
export const shortcutKeys = (name: ShortcutName): string[] =>
  shortcuts[name].keys.split("+").map((key) => keyNames[key] ?? key);

/** The same as one text: Ctrl+Enter. */
export const shortcutText = (name: ShortcutName): string => shortcutKeys(name).join(isMac ? "" : "+");
