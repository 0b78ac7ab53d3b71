import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import classes from "./public-frame.module.css";

/** The frame of pages that need no session: the brand, a link to the docs, and the page. */
export function PublicFrame({ children = <Outlet /> }: { children?: ReactNode }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const main = useFocusOnNavigation(path);
  return (
    <div className={classes.frame}>
      <SkipLink />
      <header className={classes.top}>
        <Brand />
        <nav aria-label="Main">
          <a href="/docs/">Docs</a>
        </nav>
      </header>
      <main id="page" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  );
}

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
