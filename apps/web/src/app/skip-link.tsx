import classes from "./skip-link.module.css";

/** The first stop of the keyboard on every page. */
export const SkipLink = () => (
  <a className={classes.skip} href="#page">
    Skip to content
  </a>
);
