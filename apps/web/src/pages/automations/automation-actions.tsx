import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPencil, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { queryClient, trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { PageActions } from "../../library/page-actions.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import type { Automation } from "./automation-card.tsx";

const refresh = () =>
  Promise.all([
    queryClient.invalidateQueries(trpc.automations.pathFilter()),
    queryClient.invalidateQueries(trpc.library.pathFilter()),
    queryClient.invalidateQueries(trpc.automationRuns.pathFilter()),
  ]);

/** The buttons of an automation. Errors are shown below them. */
export function AutomationActions({ automation: { id, name, enabled } }: { automation: Automation }) {
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
        <PageActions kind="automation" id={id} title={name} />
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
    </div>
  );
}
