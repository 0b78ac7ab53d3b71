import { Paper, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface CardPageProps {
  title: string;
  children: ReactNode;
}

/** A page with a single card: one form or one message. */
export function CardPage({ title, children }: CardPageProps) {
  useDocumentTitle(`${title} · Querybell`);
  return (
    <Paper withBorder shadow="sm" radius="lg" p={{ base: "lg", sm: "xl" }} maw="32rem" mx="auto">
      <Title order={1} size="h2" mb="md">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
