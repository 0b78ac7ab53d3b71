import { Link, type LinkProps } from "@tanstack/react-router";
import classes from "./tab-links.module.css";

interface TabLinksProps {
  label: string;
  tabs: readonly { label: string; to: NonNullable<LinkProps["to"]>; exact?: boolean }[];
}

/** Pages side by side, as links: each has an address of its own. */
export const TabLinks = ({ label, tabs }: TabLinksProps) => (
  <nav className={classes.tabs} aria-label={label}>
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
