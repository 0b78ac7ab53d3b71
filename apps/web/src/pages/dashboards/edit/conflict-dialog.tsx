import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { useMemberName } from "../../../session/me.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Timestamp } from "../../../ui/timestamp.tsx";
import type { Dashboard } from "../dashboard.ts";

interface ConflictDialogProps {
  id: string;
  onTakeTheirs: (theirs: Dashboard) => void;
  onKeepMine: (theirs: Dashboard) => void;
}

/** Shown when somebody else has changed the dashboard meanwhile: one of the two contents must be chosen. */
export function ConflictDialog({ id, onTakeTheirs, onKeepMine }: ConflictDialogProps) {
  const { data, error, isFetching, refetch } = useQuery(
    trpc.dashboards.get.queryOptions({ id }, { staleTime: 0, refetchOnMount: "always" }),
  );
  const nameOf = useMemberName();
  const isReady = data !== undefined && !isFetching;
  return (
    <Dialog
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="The dashboard was changed meanwhile"
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!isReady && !error && <Skeleton height={80} />}
      {isReady && (
        <Text>
          {nameOf(data.versionBy)} has changed it <Timestamp at={data.versionAt} format="relative" />. Take
          theirs, and undo brings yours back; or keep yours, and theirs stays among the versions.
        </Text>
      )}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" disabled={!isReady} onClick={() => data && onTakeTheirs(data)}>
          Take theirs
        </Button>
        <Button disabled={!isReady} onClick={() => data && onKeepMine(data)}>
          Keep mine
        </Button>
      </Group>
    </Dialog>
  );
}
