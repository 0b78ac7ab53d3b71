import { Container, Text } from "@mantine/core";
import { useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AnchorTo } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { isUnanswered, toFailure } from "./failure.ts";

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

/** Shown instead of a page while it cannot be loaded. It is loaded when the connection is back. */
export const NoConnection = () => (
  <Container size="sm" p={0} m={0}>
    <PageHeader title="This page is not loaded yet" />
    <Text role="status">
      {navigator.onLine === false ? "You are offline." : "Querybell cannot be reached."} The page loads by
      itself when the connection is back.
    </Text>
  </Container>
);

interface LoadFailureProps {
  error: unknown;
  onRetry: () => void;
}

/** Shown instead of a page whose data could not be loaded. */
export function LoadFailure({ error, onRetry }: LoadFailureProps) {
  const { code, message, fields } = toFailure(error);
  if (code === "not_found") return <NotFound>{message}</NotFound>;
  // The id in the address is not valid.
  if (fields.id !== undefined) return <NotFound />;
  if (isUnanswered(error)) return <NoConnection />;
  return (
    <Container size="sm" p={0} m={0}>
      <PageHeader title="This did not work" />
      <ErrorNotice error={error} onRetry={onRetry} />
    </Container>
  );
}
