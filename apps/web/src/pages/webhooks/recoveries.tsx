import { Button, Group, Progress, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag, type Tone } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { Endpoint, Recovery } from "./delivery-labels.ts";
import { RecoveryModal } from "./recovery-modal.tsx";

const actions: Record<Recovery["action"], string> = {
  resend_failed: "Resends failed events",
  deliver_held: "Delivers held events",
  drop_held: "Drops held events",
};

/** The recoveries of an endpoint: their progress, and buttons to start and cancel them. */
export function Recoveries({ endpoint }: { endpoint: Endpoint }) {
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
