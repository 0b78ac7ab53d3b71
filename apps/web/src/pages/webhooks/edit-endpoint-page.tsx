import { Alert } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { api, queryClient, trpc } from "../../api.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { shortUrl } from "../../format/addresses.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { EndpointForm } from "./endpoint-form.tsx";

const route = getRouteApi("/app/settings/webhooks/endpoints/$endpointId/edit");

export function EditEndpointPage() {
  const { endpointId: id } = route.useParams();
  const navigate = useNavigate();
  const { data: endpoint, error, refetch } = useQuery(trpc.webhookEndpoints.get.queryOptions({ id }));
  if (error && !endpoint) return <LoadFailure error={error} onRetry={refetch} />;
  if (!endpoint) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title={`Edit ${shortUrl(endpoint.url)}`}
        description="A new URL also applies to pending deliveries."
      />
      {endpoint.headers === null && (
        <Alert color="amber" mb="md" title="The headers cannot be read">
          They were encrypted with a key that this deployment no longer has. Nothing is sent until you enter
          them again here, or save without any.
        </Alert>
      )}
      <EndpointForm
        endpoint={endpoint}
        submit={{ label: "Save", busy: "Saving…" }}
        onSubmit={async (settings) => {
          await api.webhookEndpoints.update.mutate({ id, ...settings });
          await queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter());
          notifications.show({ message: "The endpoint is saved." });
          await navigate({ to: "/settings/webhooks/endpoints/$endpointId", params: { endpointId: id } });
        }}
      />
    </>
  );
}
