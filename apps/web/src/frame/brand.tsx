import { Link } from "@tanstack/react-router";
import classes from "./brand.module.css";

export const Brand = () => (
  <Link to="/" className={classes.brand}>
    <img src="/favicon.svg" alt="" width="30" height="30" />
    Querybell
  </Link>
);
