import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import classes from "./frame-parts.module.css";

export const Brand = () => (
  <Link to="/" className={classes.brand}>
    <img src="/favicon.svg" alt="" width="30" height="30" />
    Querybell
  </Link>
);

/** The first tab stop of every page: skips the navigation. */
export const SkipLink = () => (
  <a className={classes.skip} href="#page">
    Skip to content
  </a>
);

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
