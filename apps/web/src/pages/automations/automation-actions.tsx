import { ActionIcon, Button, Group, Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import type { Automation } from "./automation-card.tsx";

const refresh = () =>
  Promise.all([
    queryClient.invalidateQueries(trpc.automations.pathFilter()),
    queryClient.invalidateQueries(trpc.automationRuns.pathFilter()),
  ]);

/** The buttons of an automation. Errors are shown below them. */
export function AutomationActions({ automation: { id, name, enabled } }: { automation: Automation }) {
  const [isDeleting, setIsDeleting] = useState(false);
  const navigate = useNavigate();
  const trigger = useMutation(
    trpc.automations.trigger.mutationOptions({
      async onSuccess() {
        await refresh();
        const schedule = enabled ? "" : " Its schedule stays paused.";
        notifications.show({ message: `A run of ${name} has started.${schedule}` });
      },
      // It may have been paused or deleted meanwhile.
      onError: refresh,
    }),
  );
  const update = useMutation(trpc.automations.update.mutationOptions({ onSuccess: refresh }));
  const remove = async () => {
    await api.automations.delete.mutate({ id });
    await navigate({ to: "/automations" });
    await refresh();
    notifications.show({ message: `${name} is deleted. Its chats stay.` });
  };
  const error = trigger.error ?? update.error;
  return (
    <div>
      <Group gap={6}>
        <Button
          px="sm"
          leftSection={<IconPlayerPlay size={16} />}
          aria-disabled={trigger.isPending}
          aria-describedby={enabled ? undefined : "stays-paused"}
          onClick={() => !trigger.isPending && trigger.mutate({ id, whilePaused: !enabled })}
        >
          {trigger.isPending ? "Starting…" : "Run now"}
        </Button>
        <Button
          px="sm"
          variant="default"
          leftSection={enabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          onClick={() => update.mutate({ id, enabled: !enabled })}
        >
          {enabled ? "Pause" : "Resume"}
        </Button>
        <ButtonTo
          to="/automations/$automationId/edit"
          params={{ automationId: id }}
          px="sm"
          variant="default"
          leftSection={<IconPencil size={16} />}
        >
          Edit
        </ButtonTo>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More">
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              color="var(--qb-bad)"
              leftSection={<IconTrash size={16} />}
              onClick={() => setIsDeleting(true)}
            >
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {!enabled && (
        <Text size="sm" c="dimmed" mt="xs" maw="28rem" id="stays-paused">
          “Run now” runs it once. Its schedule stays paused.
        </Text>
      )}
      {error && (
        <Text size="sm" c="var(--qb-bad)" mt="xs" maw="28rem" role="alert">
          {toFailure(error).message}
        </Text>
      )}
      <ConfirmModal
        opened={isDeleting}
        onClose={() => setIsDeleting(false)}
        title={`Delete ${name}?`}
        action="Delete the automation"
        onConfirm={remove}
      >
        <Text>
          It stops running by itself, and a run that goes on is stopped. Its chats stay. This cannot be
          undone.
        </Text>
      </ConfirmModal>
    </div>
  );
}
