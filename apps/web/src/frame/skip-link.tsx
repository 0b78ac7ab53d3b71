import classes from "./skip-link.module.css";

/** The first tab stop of every page: skips the navigation. */
export const SkipLink = () => (
  <a className={classes.skip} href="#page">
    Skip to content
  </a>
);
