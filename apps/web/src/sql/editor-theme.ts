import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours are variables of editor.module.css, so that one theme serves both schemes.
const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--sql-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--sql-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--sql-number)" },
  {
    tag: [tags.comment, tags.lineComment, tags.blockComment],
    color: "var(--sql-comment)",
    fontStyle: "italic",
  },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--sql-type)" },
  { tag: [tags.propertyName, tags.attributeName], color: "var(--sql-type)" },
  { tag: [tags.tagName, tags.angleBracket], color: "var(--sql-keyword)" },
]);

const frame = EditorView.theme({
  "&": {
    height: "100%",
    fontSize: "13.5px",
    backgroundColor: "var(--qb-card)",
    color: "var(--mantine-color-text)",
  },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--mantine-color-text)", padding: "10px 0" },
  "&.cm-focused": { outline: "none" },
  ".cm-line::selection, .cm-line ::selection": { backgroundColor: "var(--sql-selection)" },
  ".cm-gutters": { backgroundColor: "var(--qb-card)", color: "var(--mantine-color-dimmed)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--sql-line)" },
  ".cm-placeholder-name": {
    color: "var(--qb-accent)",
    backgroundColor: "var(--qb-quiet)",
    borderRadius: "4px",
    padding: "1px 2px",
  },
  // A parameter can be named like a keyword.
  ".cm-placeholder-name *": { color: "inherit", fontWeight: "inherit" },
  ".cm-tooltip": {
    backgroundColor: "var(--qb-card)",
    border: "1px solid var(--qb-line)",
    borderRadius: "6px",
    color: "var(--mantine-color-text)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--qb-quiet)",
    color: "var(--mantine-color-text)",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--qb-bad)" },
  // The default symbols before and after are missing in many fonts.
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: "none !important" },
  ".cm-collapsedLines": {
    background: "var(--qb-quiet) !important",
    color: "var(--mantine-color-dimmed) !important",
  },
  ".cm-panels": { backgroundColor: "var(--qb-quiet)", color: "var(--mantine-color-text)" },
});

export const editorTheme: Extension = [frame, syntaxHighlighting(highlighting)];
