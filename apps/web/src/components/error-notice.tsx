import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { toFailure } from "./failure.ts";

interface ErrorNoticeProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
}

/** What happened and what to do, read out at once. It stands beside what was typed and never in its place. */
export const ErrorNotice = ({ error, onRetry }: ErrorNoticeProps) => (
  <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle />} mb="md">
    {toFailure(error).message}
    {onRetry && (
      <Button variant="default" size="compact-sm" mt="xs" display="block" onClick={onRetry}>
        Try again
      </Button>
    )}
  </Alert>
);
