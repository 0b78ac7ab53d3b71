import { Group, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface PageHeaderProps {
  title: string;
  /** One sentence on what the page is for. */
  description?: ReactNode;
  /** Buttons, at the right. */
  children?: ReactNode;
}

/** The heading of a page. Also sets the title of the browser tab. */
export function PageHeader({ title, description, children }: PageHeaderProps) {
  useDocumentTitle(`${title} · Querybell`);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" mt={4} maw="44rem">
            {description}
          </Text>
        )}
      </div>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
