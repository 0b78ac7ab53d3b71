import { Suspense, useEffect, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useShortcut } from "./use-shortcut.ts";

const ShortcutsDialog = lazyPart(async () => (await import("./shortcuts-dialog.tsx")).ShortcutsDialog);

let open: (() => void) | undefined;

/** Shows the list of shortcuts, from a menu or a command. */
export const showShortcuts = (): void => open?.();

/** The list of shortcuts, loaded when it is first shown. Part of the shell. */
export function ShortcutsHelp() {
  const [state, setState] = useState<"never" | "opened" | "closed">("never");
  useShortcut("showShortcuts", () => setState("opened"));
  useEffect(() => {
    open = () => setState("opened");
    return () => {
      open = undefined;
    };
  }, []);
  if (state === "never") return null;
  return (
    <Suspense>
      <ShortcutsDialog opened={state === "opened"} onClose={() => setState("closed")} />
    </Suspense>
  );
}
