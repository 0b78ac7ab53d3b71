import { Badge } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./tag.module.css";

export type Tone = "good" | "bad" | "warn" | "info" | "quiet";

/** A short word for a state. The colour adds no information that the word does not have. */
export const Tag = ({ tone = "quiet", children }: { tone?: Tone; children: ReactNode }) => (
  <span className={classes.tag} data-tone={tone}>
    {children}
  </span>
);

/** A badge for an important note. */
export const NoteBadge = ({ children }: { children: string }) => (
  <Badge variant="default" tt="none" fw={600} size="lg" leftSection={<IconHistory size={14} aria-hidden />}>
    {children}
  </Badge>
);
