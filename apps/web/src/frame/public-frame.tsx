import { Outlet, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Brand, SkipLink, useFocusOnNavigation } from "./frame-parts.tsx";
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
