import type { ReactNode } from "react";
import classes from "./item-list.module.css";

interface ItemListProps {
  /** What is listed: "API keys". */
  label: string;
  children: ReactNode;
}

/** A list with one row for each item, and blocks at phone width. */
export const ItemList = ({ label, children }: ItemListProps) => (
  <ul className={classes.list} aria-label={label}>
    {children}
  </ul>
);

interface ItemProps {
  title: ReactNode;
  /** Secondary text below the title. */
  children?: ReactNode;
  /** Buttons, at the right. */
  actions?: ReactNode;
}

export const Item = ({ title, children, actions }: ItemProps) => (
  <li className={classes.item}>
    <div className={classes.main}>
      <div className={classes.title}>{title}</div>
      {children !== undefined && <div className={classes.detail}>{children}</div>}
    </div>
    {actions !== undefined && <div className={classes.actions}>{actions}</div>}
  </li>
);
