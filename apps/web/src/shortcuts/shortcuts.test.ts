import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editorKey, isShortcut, shortcuts, shortcutText } from "./shortcuts.ts";

const plain = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

describe("a shortcut", () => {
  test.each([
    ["search", { key: "k", ctrlKey: true }, true],
    ["search", { key: "K", metaKey: true }, true],
    ["search", { key: "k" }, false],
    ["search", { key: "k", ctrlKey: true, shiftKey: true }, false],
    ["showShortcuts", { key: "?", shiftKey: true }, true],
    ["showShortcuts", { key: "?" }, true],
    ["showShortcuts", { key: "?", ctrlKey: true }, false],
    ["openCell", { key: "Enter" }, true],
    ["openCell", { key: "Enter", ctrlKey: true }, false],
    ["redo", { key: "Z", ctrlKey: true, shiftKey: true }, true],
    ["widenColumn", { key: "ArrowRight", shiftKey: true }, true],
  ] as const)("%s, with %j pressed: %s", (name, pressed, expected) => {
    expect(isShortcut({ ...plain, ...pressed }, name)).toBe(expected);
  });

  test("is written as people and as CodeMirror write it", () => {
    expect([shortcutText("run"), editorKey("run")]).toEqual(["Ctrl+Enter", "Mod-Enter"]);
    expect([editorKey("save"), editorKey("redo"), editorKey("complete")]).toEqual([
      "Mod-s",
      "Mod-Shift-z",
      "Ctrl-Space",
    ]);
  });
});

describe("the list of shortcuts", () => {
  const source = join(import.meta.dirname, "..");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("shortcuts/") && !file.includes(".test."))
    .map((file) => ({ file, text: readFileSync(join(source, file), "utf8") }));

  test("has every shortcut: no page binds keys by itself", () => {
    const bound = files.filter(({ text }) => /useHotkeys|\bkey: "(?:Mod|Ctrl|Alt|Shift)-/.test(text));
    expect(bound.map(({ file }) => file)).toEqual([]);
  });

  test("has no shortcut that no page uses", () => {
    const all = files.map(({ text }) => text).join("\n");
    const names = Object.keys(shortcuts).filter((name) => name !== "showShortcuts");
    expect(names.filter((name) => !all.includes(`"${name}"`))).toEqual([]);
  });
});
