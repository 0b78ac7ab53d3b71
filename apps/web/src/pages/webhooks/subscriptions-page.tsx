import { Button, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { shortUrl } from "../../format/addresses.ts";
import { formatNumber } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { WebhookTabs } from "./webhooks-layout.tsx";

type Subscription = Outputs["eventSubscriptions"]["list"][number];

export function SubscriptionsPage() {
  const {
    data: subscriptions,
    error,
    refetch,
  } = useQuery(trpc.eventSubscriptions.list.queryOptions(undefined, { refetchInterval: 5_000 }));
  const [ending, setEnding] = useState<Subscription>();
  const end = async ({ id, url }: Subscription) => {
    await api.eventSubscriptions.end.mutate({ id });
    await queryClient.invalidateQueries(trpc.eventSubscriptions.pathFilter());
    notifications.show({ message: `The subscription of ${shortUrl(url)} has ended.` });
  };
  return (
    <>
      <PageHeader
        title="Subscriptions"
        description="Programs that have subscribed to events over MCP, with an API key. They renew their subscriptions, or these expire."
      />
      <WebhookTabs />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!subscriptions && !error && <Skeleton height={160} />}
      {subscriptions?.length === 0 && (
        <EmptyState
          title="No subscriptions"
          description="An assistant with an API key that has the scope events:subscribe can ask to be told when an automation’s run has ended."
        />
      )}
      {subscriptions && subscriptions.length > 0 && (
        <ItemList label="Subscriptions">
          {subscriptions.map((subscription) => (
            <SubscriptionItem
              key={subscription.id}
              subscription={subscription}
              onEnd={() => setEnding(subscription)}
            />
          ))}
        </ItemList>
      )}
      <ConfirmModal
        opened={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title="End this subscription?"
        action="End the subscription"
        onConfirm={async () => ending && end(ending)}
      >
        Nothing more is sent to {shortUrl(ending?.url ?? "")}. The program can subscribe again as long as it
        has its API key: to prevent that, revoke the key {ending?.keyName}.
      </ConfirmModal>
    </>
  );
}

interface SubscriptionItemProps {
  subscription: Subscription;
  onEnd: () => void;
}

function SubscriptionItem({ subscription, onEnd }: SubscriptionItemProps) {
  const { id, url, event, automationId, keyName, state, pending, held, expiresAt } = subscription;
  return (
    <Item
      title={
        <>
          {shortUrl(url)} {state === "disabled" && <Tag tone="bad">Failing: waits for the program</Tag>}
        </>
      }
      actions={
        <>
          <ButtonTo
            to="/settings/webhooks/deliveries"
            search={{ endpointId: id }}
            variant="default"
            size="xs"
            aria-label={`Deliveries to ${shortUrl(url)}`}
          >
            Deliveries
          </ButtonTo>
          <Button variant="default" size="xs" onClick={onEnd} aria-label={`End ${shortUrl(url)}`}>
            End
          </Button>
        </>
      }
    >
      <span>{event}</span>
      {automationId !== null && <span>Of one automation</span>}
      <span>Key {keyName}</span>
      {pending > 0 && <span>{formatNumber(pending)} pending</span>}
      {held > 0 && <span>{formatNumber(held)} held</span>}
      <span>
        Ends <Timestamp at={expiresAt} format="relative" />
      </span>
    </Item>
  );
}
