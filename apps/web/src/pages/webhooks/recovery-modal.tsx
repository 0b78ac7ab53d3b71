import { Modal, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { skipToken, useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { fromLocalInput, toLocalInput } from "../../format/local-time.ts";
import { pluralize } from "../../format/pluralize.ts";
import { ActionForm } from "../../ui/action-form.tsx";

interface RecoveryModalProps {
  endpointId: string;
  opened: boolean;
  onClose: () => void;
}

const dayMs = 86_400_000;

/** Starts a recovery, after showing how many events it would resend. */
export function RecoveryModal({ endpointId, opened, onClose }: RecoveryModalProps) {
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
          label="Failed since (your time)"
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
