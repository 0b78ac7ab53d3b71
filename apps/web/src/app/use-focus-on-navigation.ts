import { useEffect, useRef } from "react";

/** What was shown last: the path, and the frame's element, since signing in changes the frame. */
let shown: { path: string; main: HTMLElement | null } | undefined;

/** Moves the keyboard and the screen reader to the beginning of a page that replaced another. */
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
