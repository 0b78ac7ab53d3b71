import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { shortUrl } from "../../format/addresses.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { LatestDeliveries } from "./delivery-list.tsx";
import { DisabledNotice } from "./disabled-notice.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointBadge } from "./endpoint-badge.tsx";
import { EndpointEvents } from "./endpoint-events.tsx";
import { EndpointHealth } from "./endpoint-health.tsx";
import { Recoveries } from "./recoveries.tsx";
import { Secrets } from "./secrets.tsx";
import { SendTest } from "./send-test.tsx";

const route = getRouteApi("/app/settings/webhooks/endpoints/$endpointId");

export function EndpointPage() {
  const { endpointId: id } = route.useParams();
  const navigate = useNavigate();
  const {
    data: endpoint,
    error,
    refetch,
  } = useQuery(trpc.webhookEndpoints.get.queryOptions({ id }, { refetchInterval: 3_000 }));
  if (error && (!endpoint || toFailure(error).code === "not_found"))
    return <LoadFailure error={error} onRetry={refetch} />;
  if (!endpoint) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title={shortUrl(endpoint.url)}
        description={
          <Group gap="xs" component="span">
            <EndpointBadge endpoint={endpoint} />
            {endpoint.description !== "" && <span>{endpoint.description}</span>}
          </Group>
        }
      >
        <ButtonTo
          to="/settings/webhooks/endpoints/$endpointId/edit"
          params={{ endpointId: id }}
          variant="default"
          size="sm"
        >
          Edit
        </ButtonTo>
        <EndpointActions
          endpoint={endpoint}
          what="endpoint"
          name={shortUrl(endpoint.url)}
          onDeleted={() => navigate({ to: "/settings/webhooks" })}
        />
      </PageHeader>
      {endpoint.state === "disabled" && <DisabledNotice endpoint={endpoint} />}
      <EndpointHealth endpointId={id} />
      <EndpointEvents endpoint={endpoint} />
      {endpoint.state === "enabled" && (
        <Section
          title="Test"
          description="A sample event, sent once, whatever the filter. Its attempt is counted above, but a failed test never disables the endpoint."
        >
          <SendTest endpointId={id} />
        </Section>
      )}
      <LatestDeliveries endpointId={id} />
      <Recoveries endpoint={endpoint} />
      <Secrets endpoint={endpoint} />
    </>
  );
}
