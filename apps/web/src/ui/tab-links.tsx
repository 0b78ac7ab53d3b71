import { Link, type LinkProps, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import classes from "./tab-links.module.css";

interface TabLinksProps {
  label: string;
  /** "pills" for tabs below other tabs. */
  look?: "line" | "pills";
  tabs: readonly { label: string; to: NonNullable<LinkProps["to"]>; exact?: boolean }[];
}

/** Tabs as links: each tab is a page with its own address. */
export function TabLinks({ label, tabs, look = "line" }: TabLinksProps) {
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  // At phone width the tabs scroll. Scrolls the current one into view.
  useEffect(() => {
    const open = path && nav.current?.querySelector('[aria-current="page"]');
    if (open) open.scrollIntoView({ inline: "center", block: "nearest" });
  }, [path]);
  return (
    <nav className={classes.tabs} aria-label={label} data-look={look} ref={nav}>
      {tabs.map(({ label: name, to, exact = false }) => (
        <Link
          key={name}
          to={to}
          className={classes.tab ?? ""}
          activeOptions={{ exact, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
