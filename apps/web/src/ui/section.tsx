import { Group, Paper, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  description?: ReactNode;
  /** Buttons, at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** One subject of a settings page. */
export const Section = ({ title, description, actions, children }: SectionProps) => (
  <Paper withBorder p={{ base: "md", sm: "lg" }} mb="lg">
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" size="sm" mt={2} maw="44rem">
            {description}
          </Text>
        )}
      </div>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
    {children}
  </Paper>
);
