import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { shortUrl } from "../../format/addresses.ts";
import { pluralize } from "../../format/pluralize.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import type { Endpoint } from "./delivery-labels.ts";
import { LatestDeliveries } from "./delivery-list.tsx";
import { DisabledNotice } from "./disabled-notice.tsx";
import { EndpointBadge } from "./endpoint-badge.tsx";
import { EndpointHealth } from "./endpoint-health.tsx";
import { Recoveries } from "./recoveries.tsx";
import { Secrets } from "./secrets.tsx";
import { SendTest } from "./send-test.tsx";

const route = getRouteApi("/app/settings/webhooks/endpoints/$endpointId");

export function EndpointPage() {
  const { endpointId: id } = route.useParams();
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
        <Actions endpoint={endpoint} />
      </PageHeader>
      {endpoint.state === "disabled" && <DisabledNotice endpoint={endpoint} />}
      <EndpointHealth endpointId={id} />
      {endpoint.state === "enabled" && (
        <Section
          title="Test"
          description="A sample event, sent once. Its attempt is counted above, but a failed test never disables the endpoint."
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

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, pending, held } = endpoint;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"disable" | "delete">();
  const refresh = () => queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter());
  return (
    <>
      <ButtonTo
        to="/settings/webhooks/endpoints/$endpointId/edit"
        params={{ endpointId: id }}
        variant="default"
        size="sm"
      >
        Edit
      </ButtonTo>
      {endpoint.state === "enabled" && (
        <Button variant="default" size="sm" onClick={() => setAsked("disable")}>
          Disable
        </Button>
      )}
      <Button variant="default" size="sm" onClick={() => setAsked("delete")}>
        Delete
      </Button>
      <ConfirmModal
        opened={asked === "disable"}
        onClose={() => setAsked(undefined)}
        title="Disable this endpoint?"
        action="Disable the endpoint"
        onConfirm={async () => {
          await api.webhookEndpoints.disable.mutate({ id });
          await refresh();
        }}
      >
        Nothing is sent to {shortUrl(url)} until somebody enables it again. Nothing is lost for 30 days: what
        happens meanwhile is held
        {pending > 0 && `, with the ${pluralize(pending, "delivery", "deliveries")} pending now`}.
      </ConfirmModal>
      <ConfirmModal
        opened={asked === "delete"}
        onClose={() => setAsked(undefined)}
        title="Delete this endpoint?"
        action="Delete the endpoint"
        onConfirm={async () => {
          await api.webhookEndpoints.delete.mutate({ id });
          notifications.show({ message: `${shortUrl(url)} is deleted.` });
          await navigate({ to: "/settings/webhooks" });
          await refresh();
        }}
      >
        <Text mb="xs">
          {pending + held === 0
            ? "No delivery is waiting."
            : `${pluralize(pending + held, "delivery", "deliveries")} that ${pending + held === 1 ? "waits" : "wait"} for it ${pending + held === 1 ? "is" : "are"} cancelled.`}{" "}
          Its secrets are deleted. Its past deliveries stay in the log.
        </Text>
        <Text>This cannot be undone.</Text>
      </ConfirmModal>
    </>
  );
}
