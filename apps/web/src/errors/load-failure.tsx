import { Container } from "@mantine/core";
import { PageHeader } from "../ui/page-header.tsx";
import { ErrorNotice } from "./error-notice.tsx";
import { toFailure } from "./failure.ts";
import { NotFound } from "./not-found.tsx";

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
  return (
    <Container size="sm" p={0} m={0}>
      <PageHeader title="This did not work" />
      <ErrorNotice error={error} onRetry={onRetry} />
    </Container>
  );
}
