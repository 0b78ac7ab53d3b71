import { useEffect, useRef } from "react";

/** The previous path, and the previous frame's element, because signing in replaces the frame. */
let shown: { path: string; main: HTMLElement | null } | undefined;

/** After navigation, moves the focus to the start of the new page. */
export function useFocusOnNavigation(path: string) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = shown;
    shown = { path, main: main.current };
    if (!before || (before.path === path && before.main === main.current)) return;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
