import { useEffect, useRef } from "react";

/** Moves the keyboard and the screen reader to the beginning of a page that replaced another. */
export function useFocusOnNavigation(path: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
