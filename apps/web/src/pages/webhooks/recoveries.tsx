import { Button, Group, Modal, NumberInput, Progress, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { fromLocalInput, readerZone, toLocalInput } from "../../format/times.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag, type Tone } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { Endpoint, Recovery } from "./delivery-labels.ts";

const actions: Record<Recovery["action"], string> = {
  resend_failed: "Resends failed events",
  deliver_held: "Delivers held events",
  drop_held: "Drops held events",
};

/** The recoveries of an endpoint: their progress, and buttons to start and cancel them. */
export function Recoveries({ endpoint }: { endpoint: Pick<Endpoint, "id" | "state"> }) {
  const [isStarting, setIsStarting] = useState(false);
  const [cancelling, setCancelling] = useState<Recovery>();
  const { data: recoveries, error } = useQuery(
    trpc.webhookRecoveries.list.queryOptions(
      { endpointId: endpoint.id },
      { refetchInterval: ({ state }) => (state.data?.some(isChanging) ? 1_000 : 5_000) },
    ),
  );
  return (
    <Section
      title="Recovery"
      description="After an outage of your receiver: resend every event that failed since a given time, at a limited rate."
      actions={
        endpoint.state === "enabled" && (
          <Button variant="default" size="sm" onClick={() => setIsStarting(true)}>
            Recover failed events
          </Button>
        )
      }
    >
      {error && <ErrorNotice error={error} />}
      {recoveries?.length === 0 && (
        <Text size="sm" c="dimmed">
          None so far.
        </Text>
      )}
      {recoveries && recoveries.length > 0 && (
        <ItemList label="Recoveries">
          {recoveries.map((recovery) => (
            <RecoveryItem key={recovery.id} recovery={recovery} onCancel={() => setCancelling(recovery)} />
          ))}
        </ItemList>
      )}
      <RecoveryModal endpointId={endpoint.id} opened={isStarting} onClose={() => setIsStarting(false)} />
      <ConfirmModal
        opened={cancelling !== undefined}
        onClose={() => setCancelling(undefined)}
        title="Cancel this recovery?"
        action="Cancel the recovery"
        onConfirm={async () => {
          if (cancelling) await api.webhookRecoveries.cancel.mutate({ id: cancelling.id });
          await queryClient.invalidateQueries(trpc.webhookRecoveries.pathFilter());
        }}
      >
        {cancelling?.action === "deliver_held"
          ? "Held events that have not been sent are discarded, and cannot be brought back."
          : "What has not been sent again stays failed, and can be recovered later."}
      </ConfirmModal>
    </Section>
  );
}

/** Whether its numbers still change: it is running, or deliveries that it queued are pending. */
const isChanging = ({ state, pending }: Recovery): boolean => state === "running" || pending > 0;

function RecoveryItem({ recovery, onCancel }: { recovery: Recovery; onCancel: () => void }) {
  const { action, state, total, queued, succeeded, exhausted, dropped, pending, createdAt, since } = recovery;
  const percent = total === 0 ? 100 : Math.min(100, (queued / total) * 100);
  const tones: Record<Recovery["state"], Tone> = { running: "info", completed: "good", cancelled: "quiet" };
  return (
    <Item
      title={
        <>
          {actions[action]} <Tag tone={tones[state]}>{state}</Tag>
        </>
      }
      actions={
        state === "running" &&
        action !== "drop_held" && (
          <Button variant="default" size="xs" onClick={onCancel}>
            Cancel
          </Button>
        )
      }
    >
      <span>
        Started <Timestamp at={createdAt} format="relative" />
      </span>
      {action === "resend_failed" && (
        <span>
          Failed since <Timestamp at={since} />
        </span>
      )}
      <Group gap="xs" w="100%" wrap="nowrap" mt={4}>
        <Progress
          value={percent}
          flex={1}
          aria-label={`${formatNumber(queued)} of ${pluralize(total, "delivery", "deliveries")} queued`}
        />
        <Text size="sm">
          {formatNumber(queued)} of {formatNumber(total)}
        </Text>
      </Group>
      <span>
        {[
          `${formatNumber(succeeded)} succeeded`,
          pending > 0 && `${formatNumber(pending)} pending`,
          exhausted > 0 && `${formatNumber(exhausted)} failed`,
          dropped > 0 && `${formatNumber(dropped)} dropped`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </Item>
  );
}

interface RecoveryModalProps {
  endpointId: string;
  opened: boolean;
  onClose: () => void;
}

const dayMs = 86_400_000;

/** Starts a recovery, after showing how many events it would resend. */
function RecoveryModal({ endpointId, opened, onClose }: RecoveryModalProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Recover failed events">
      <RecoveryForm endpointId={endpointId} onStarted={onClose} />
    </Modal>
  );
}

function RecoveryForm({ endpointId, onStarted }: { endpointId: string; onStarted: () => void }) {
  const form = useForm({
    initialValues: { since: toLocalInput(new Date(Date.now() - dayMs)), perSecond: 10 },
    validate: { since: (since) => (fromLocalInput(since) ? null : "Choose a day and a time.") },
  });
  const since = fromLocalInput(form.values.since);
  const preview = useQuery(
    trpc.webhookRecoveries.preview.queryOptions(since ? { endpointId, since } : skipToken, { staleTime: 0 }),
  );
  const total = preview.data?.total;
  return (
    <ActionForm
      form={form}
      submit={{
        label: total === undefined ? "Start" : `Send ${pluralize(total, "event")} again`,
        busy: "Starting…",
      }}
      onSubmit={async ({ perSecond }) => {
        await api.webhookRecoveries.start.mutate({ endpointId, since: since ?? "", perSecond });
        await queryClient.invalidateQueries(trpc.webhookRecoveries.pathFilter());
        onStarted();
      }}
    >
      <Stack mb="md">
        <TextInput
          type="datetime-local"
          label={`Failed since (${readerZone()})`}
          data-autofocus
          {...form.getInputProps("since")}
        />
        <NumberInput
          label="Events per second"
          description="In addition to new events."
          min={1}
          max={1000}
          allowDecimal={false}
          {...form.getInputProps("perSecond")}
        />
        <Text role="status">{previewText(preview.error, total, form.values.perSecond)}</Text>
      </Stack>
    </ActionForm>
  );
}

function previewText(error: unknown, total: number | undefined, perSecond: number): string {
  if (error) return toFailure(error).message;
  if (total === undefined) return "Counting…";
  if (total === 0) return "Nothing failed since then.";
  const seconds = Math.ceil(total / Math.max(1, perSecond));
  const duration = seconds < 60 ? pluralize(seconds, "second") : pluralize(Math.ceil(seconds / 60), "minute");
  return `${pluralize(total, "event")} failed since then. Queueing them takes about ${duration}.`;
}
