import { Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, trpc } from "../../../api.ts";
import { ErrorNotice, showFailure } from "../../../errors/error-notice.tsx";
import { useMemberName } from "../../../session/me.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Timestamp } from "../../../ui/timestamp.tsx";
import type { Content } from "../dashboard.ts";

interface VersionsDialogProps {
  id: string;
  onClose: () => void;
  onBringBack: (content: Content) => void;
}

/** The earlier contents. Bringing one back is a change like any other: it can be undone. */
export function VersionsDialog({ id, onClose, onBringBack }: VersionsDialogProps) {
  const { data, error, refetch } = useQuery(trpc.dashboards.versions.queryOptions({ id }, { staleTime: 0 }));
  const nameOf = useMemberName();
  const bringBack = async (version: number) => {
    try {
      onBringBack((await api.dashboards.version.query({ id, version })).content);
      onClose();
    } catch (failure) {
      showFailure("Not brought back", failure);
    }
  };
  return (
    <Dialog onClose={onClose} title="Versions">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={160} />}
      <Stack gap="sm" component="ol" pl={0} style={{ listStyle: "none" }}>
        {data?.map(({ version, createdBy, createdAt }, at) => (
          <Group key={version} component="li" justify="space-between" wrap="nowrap">
            <div>
              <Text size="sm" fw={600} span>
                Version {version}
              </Text>{" "}
              {at === 0 && (
                <Badge size="xs" variant="default">
                  Current
                </Badge>
              )}
              <Text size="xs" c="dimmed">
                {nameOf(createdBy)}, <Timestamp at={createdAt} format="relative" />
              </Text>
            </div>
            {at > 0 && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Bring back version ${version}`}
                onClick={() => void bringBack(version)}
              >
                Bring back
              </Button>
            )}
          </Group>
        ))}
      </Stack>
      <Text mt="md" size="xs" c="dimmed">
        One version is kept for each person and ten minutes, at most 100.
      </Text>
    </Dialog>
  );
}
