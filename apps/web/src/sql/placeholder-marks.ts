import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";

const matcher = new MatchDecorator({
  regexp: /\{\{\s*[A-Za-z_]\w*\s*\}\}/g,
  decoration: Decoration.mark({ class: "cm-placeholder-name" }),
});

/** Highlights placeholders in the visible lines. */
export const placeholderMarks = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;
    constructor(view: EditorView) {
      this.marks = matcher.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.marks = matcher.updateDeco(update, this.marks);
    }
  },
  { decorations: (plugin) => plugin.marks },
);
