import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { LatestDeliveries } from "../webhooks/delivery-list.tsx";
import { DisabledNotice } from "../webhooks/disabled-notice.tsx";
import { EndpointActions } from "../webhooks/endpoint-actions.tsx";
import { EndpointBadge } from "../webhooks/endpoint-badge.tsx";
import { EndpointHealth } from "../webhooks/endpoint-health.tsx";
import { Recoveries } from "../webhooks/recoveries.tsx";
import { SendTest } from "../webhooks/send-test.tsx";
import { type Destination, destinationLabels } from "./destination-labels.ts";

const route = getRouteApi("/app/settings/destinations/$destinationId");

export function DestinationPage() {
  const { destinationId: id } = route.useParams();
  const navigate = useNavigate();
  const {
    data: destination,
    error,
    refetch,
  } = useQuery(trpc.destinations.get.queryOptions({ id }, { refetchInterval: 3_000 }));
  if (error && (!destination || toFailure(error).code === "not_found"))
    return <LoadFailure error={error} onRetry={refetch} />;
  if (!destination) return <LoadingFrame />;
  const { name, state } = destination;
  return (
    <>
      <PageHeader title={name} description={<About destination={destination} />}>
        <ButtonTo
          to="/settings/destinations/$destinationId/edit"
          params={{ destinationId: id }}
          variant="default"
          size="sm"
        >
          Edit
        </ButtonTo>
        <EndpointActions
          endpoint={destination}
          what="destination"
          name={name}
          onDeleted={() => navigate({ to: "/settings/destinations" })}
        />
      </PageHeader>
      {state === "disabled" && <DisabledNotice endpoint={destination} what="destination" />}
      {state === "enabled" && (
        <Section
          title="Test"
          description="A message that says it is a test, sent once. A failed test never disables the destination."
        >
          <SendTest endpointId={id} label="Send a test message" />
        </Section>
      )}
      <EndpointHealth endpointId={id} />
      <LatestDeliveries endpointId={id} />
      <Recoveries endpoint={destination} />
    </>
  );
}

const About = ({ destination }: { destination: Destination }) => (
  <Group gap="xs" component="span">
    <EndpointBadge endpoint={destination} />
    <span>
      {destinationLabels[destination.kind]}, {destination.addresses?.join(", ") ?? destination.shownAddress}
    </span>
  </Group>
);
