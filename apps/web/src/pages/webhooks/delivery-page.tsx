import { Button, Code, DataList, Group, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { CopyButton } from "../../ui/copyable.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { AttemptDetail, AttemptTimeline } from "./attempts.tsx";
import { type DeliveryDetail, deliveryStates, kindLabels, receiverOf } from "./delivery-labels.ts";
import { EventDeliveries } from "./delivery-list.tsx";
import { SignatureDebugger } from "./signature-debugger.tsx";

const route = getRouteApi("/app/settings/webhooks/deliveries/$deliveryId");

export function DeliveryPage() {
  const { deliveryId: id } = route.useParams();
  const { attempt: chosen } = route.useSearch();
  const {
    data: delivery,
    error,
    refetch,
  } = useQuery(
    trpc.webhookDeliveries.get.queryOptions(
      { id },
      { refetchInterval: ({ state: { data } }) => (data && isFinal(data) ? false : 2_000) },
    ),
  );
  if (error && (!delivery || toFailure(error).code === "not_found"))
    return <LoadFailure error={error} onRetry={refetch} />;
  if (!delivery) return <LoadingFrame />;
  const attempt = delivery.attempts.find(({ number }) => number === chosen) ?? delivery.attempts.at(-1);
  return (
    <>
      <PageHeader title={delivery.type} description={<Status delivery={delivery} />}>
        <Resend delivery={delivery} />
      </PageHeader>
      <Details delivery={delivery} />
      <Section title="Attempts">
        <AttemptTimeline delivery={delivery} open={attempt?.number} />
      </Section>
      {attempt && (
        <>
          <AttemptDetail attempt={attempt} body={delivery.body} />
          {isSigned(delivery) && (
            <SignatureDebugger key={attempt.number} deliveryId={id} attempt={attempt.number} />
          )}
        </>
      )}
      <EventDeliveries delivery={delivery} />
    </>
  );
}

const isFinal = ({ state }: DeliveryDetail): boolean => state !== "pending" && state !== "held";

const Status = ({ delivery: { state, kind } }: { delivery: DeliveryDetail }) => (
  <Group gap="xs" component="span" role="status">
    <Tag tone={deliveryStates[state].tone}>{deliveryStates[state].label}</Tag>
    {kindLabels[kind] && <Tag>{kindLabels[kind]}</Tag>}
    <span>
      {kind === "test" && state === "exhausted"
        ? "The test failed. Send another once the cause is fixed."
        : deliveryStates[state].meaning}
    </span>
  </Group>
);

/** Resends the event and opens the page of the new delivery. */
function Resend({ delivery: { id, kind } }: { delivery: DeliveryDetail }) {
  const navigate = useNavigate();
  const resend = useMutation(
    trpc.webhookDeliveries.resend.mutationOptions({
      onSuccess: async ({ id: deliveryId }) => {
        await queryClient.invalidateQueries(trpc.webhookDeliveries.pathFilter());
        await navigate({ to: "/settings/webhooks/deliveries/$deliveryId", params: { deliveryId } });
      },
    }),
  );
  if (kind === "test") return null;
  return (
    <div>
      <Button
        aria-disabled={resend.isPending}
        onClick={() => {
          if (!resend.isPending) resend.mutate({ id });
        }}
      >
        {resend.isPending ? "Resending…" : "Resend"}
      </Button>
      {resend.error && <ErrorNotice error={resend.error} />}
    </div>
  );
}

const isSigned = ({ endpointKind }: DeliveryDetail): boolean =>
  endpointKind === "webhook" || endpointKind === "mcp";

function receiverLabel(delivery: DeliveryDetail): string {
  if (!isSigned(delivery)) return "Destination";
  return delivery.endpointKind === "mcp" ? "Subscription" : "Endpoint";
}

function ReceiverLink({ delivery }: { delivery: DeliveryDetail }) {
  const { endpointId } = delivery;
  const name = receiverOf(delivery);
  if (delivery.endpointKind === "mcp") {
    return <AnchorTo to="/settings/webhooks/subscriptions">{name}</AnchorTo>;
  }
  return isSigned(delivery) ? (
    <AnchorTo to="/settings/webhooks/endpoints/$endpointId" params={{ endpointId }}>
      {name}
    </AnchorTo>
  ) : (
    <AnchorTo to="/settings/destinations/$destinationId" params={{ destinationId: endpointId }}>
      {name}
    </AnchorTo>
  );
}

const Details = ({ delivery }: { delivery: DeliveryDetail }) => (
  <DataList mb="lg" labelWidth={130}>
    <DataList.Item>
      <DataList.ItemLabel>{receiverLabel(delivery)}</DataList.ItemLabel>
      <DataList.ItemValue>
        <ReceiverLink delivery={delivery} />
      </DataList.ItemValue>
    </DataList.Item>
    <DataList.Item>
      <DataList.ItemLabel>Event id</DataList.ItemLabel>
      <DataList.ItemValue>
        <Group gap={4} wrap="nowrap">
          <Code>{delivery.eventId}</Code>
          <CopyButton value={delivery.eventId} what="the event id" />
        </Group>
      </DataList.ItemValue>
    </DataList.Item>
    <DataList.Item>
      <DataList.ItemLabel>Created</DataList.ItemLabel>
      <DataList.ItemValue>
        <Timestamp at={delivery.createdAt} />
      </DataList.ItemValue>
    </DataList.Item>
    {delivery.nextAttemptAt && (
      <DataList.Item>
        <DataList.ItemLabel>Next attempt</DataList.ItemLabel>
        <DataList.ItemValue>
          <Text size="sm">
            <Timestamp at={delivery.nextAttemptAt} format="relative" />
          </Text>
        </DataList.ItemValue>
      </DataList.Item>
    )}
  </DataList>
);
