import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber } from "../../format/pluralize.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { AnchorTo, ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EndpointBadge } from "../webhooks/endpoint-badge.tsx";
import { type Destination, destinationLabels } from "./destination-labels.ts";

export function DestinationsPage() {
  const {
    data: destinations,
    error,
    refetch,
  } = useQuery(trpc.destinations.list.queryOptions(undefined, { refetchInterval: 5_000 }));
  const create = <ButtonTo to="/settings/destinations/new">Add a destination</ButtonTo>;
  return (
    <>
      <PageHeader
        title="Destinations"
        description="Channels and mail addresses to which automations send messages. Every automation chooses its own."
      >
        {create}
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!destinations && !error && <Skeleton height={160} />}
      {destinations?.length === 0 && (
        <EmptyState
          title="No destinations yet"
          description="Add a channel of Slack, Microsoft Teams or Discord, or mail addresses. Then choose it in the form of an automation."
        >
          {create}
        </EmptyState>
      )}
      {destinations && destinations.length > 0 && (
        <ItemList label="Destinations">
          {destinations.map((destination) => (
            <DestinationItem key={destination.id} destination={destination} />
          ))}
        </ItemList>
      )}
    </>
  );
}

function DestinationItem({ destination }: { destination: Destination }) {
  const { id, kind, name, shownAddress, pending, held } = destination;
  return (
    <Item
      title={
        <>
          <AnchorTo to="/settings/destinations/$destinationId" params={{ destinationId: id }} fw={600}>
            {name}
          </AnchorTo>{" "}
          <EndpointBadge endpoint={destination} />
        </>
      }
    >
      <span>
        {destinationLabels[kind]}, {shownAddress}
      </span>
      {pending > 0 && <span>{formatNumber(pending)} pending</span>}
      {held > 0 && <span>{formatNumber(held)} held</span>}
    </Item>
  );
}
