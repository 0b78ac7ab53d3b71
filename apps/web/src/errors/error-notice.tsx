import { Alert, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { toFailure } from "./failure.ts";

interface ErrorNoticeProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
}

/** An error: what happened and what to do. Screen readers announce it. It never replaces user input. */
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

/** Shows an error as a notification, where there is no form or dialog to show it in. */
export const showFailure = (title: string, error: unknown): void => {
  notifications.show({ color: "red", title, message: toFailure(error).message });
};
