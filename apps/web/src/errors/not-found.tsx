import { Container, Text } from "@mantine/core";
import { useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AnchorTo } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";

/** Shown for an unknown address or object, with a specific message if there is one. */
export function NotFound({ children }: { children?: ReactNode }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <Container size="sm" p={0} m={0}>
      <PageHeader title="There is nothing here" />
      <Text mb="md">
        {children ?? `No page has the address ${path}. It may have been mistyped, or moved.`}
      </Text>
      <Text>
        <AnchorTo to="/">Go to the start page</AnchorTo> or look into <a href="/docs/">the docs</a>.
      </Text>
    </Container>
  );
}
