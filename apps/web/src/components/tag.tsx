import type { ReactNode } from "react";
import classes from "./tag.module.css";

export type Tone = "good" | "bad" | "warn" | "info" | "quiet";

/** A short word about a state. The word says it; the colour only helps. */
export const Tag = ({ tone = "quiet", children }: { tone?: Tone; children: ReactNode }) => (
  <span className={classes.tag} data-tone={tone}>
    {children}
  </span>
);
