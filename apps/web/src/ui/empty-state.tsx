import { Paper, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  title: string;
  /** What the thing is for. */
  description: ReactNode;
  /** The first step: a button or a link. */
  children?: ReactNode;
}

/** Shown where a list has nothing yet. */
export const EmptyState = ({ title, description, children }: EmptyStateProps) => (
  <Paper withBorder p="xl" ta="center">
    <Title order={2} size="h4">
      {title}
    </Title>
    <Text c="dimmed" maw="32rem" mx="auto" mt="xs" mb={children === undefined ? 0 : "md"}>
      {description}
    </Text>
    {children}
  </Paper>
);
