import { Badge } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";

/** A badge for an important note. */
export const NoteBadge = ({ children }: { children: string }) => (
  <Badge variant="default" tt="none" fw={600} size="lg" leftSection={<IconHistory size={14} aria-hidden />}>
    {children}
  </Badge>
);
