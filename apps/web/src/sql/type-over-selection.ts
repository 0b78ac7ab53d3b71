import { EditorView } from "@codemirror/view";

/**
 * Replaces a selection by what is typed. Chrome would keep the look of the replaced text as an inline style, which the
 * content security policy refuses with an error in the console.
 */
export const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { main, ranges } = view.state.selection;
    if (inputType !== "insertText" || !data || view.composing || main.empty || ranges.length > 1)
      return false;
    const { from, to } = main;
    const type = () =>
      view.state.update({
        changes: { from, to, insert: data },
        selection: { anchor: from + data.length },
        userEvent: "input.type",
        scrollIntoView: true,
      });
    event.preventDefault();
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, type))) view.dispatch(type());
    return true;
  },
});
