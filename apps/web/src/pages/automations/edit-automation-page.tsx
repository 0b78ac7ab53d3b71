import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorFrame, LoadingFrame } from "../../app/frames.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { AutomationForm } from "./form/automation-form.tsx";
import { inputOf, valuesOf } from "./form/form-values.ts";

const route = getRouteApi("/app/automations/$automationId/edit");

export function EditAutomationPage() {
  const { automationId: id } = route.useParams();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(trpc.automations.get.queryOptions({ id }));
  if (error && !data) return <ErrorFrame error={error} reset={refetch} />;
  if (!data) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title={`Edit ${data.name}`}
        description="Changes count for runs that are started after them."
      />
      <AutomationForm
        key={id}
        initialValues={valuesOf(data)}
        submit={{ label: "Save the changes", busy: "Saving…" }}
        onSubmit={async (values) => {
          const { name } = await api.automations.update.mutate({ id, ...(await inputOf(values)) });
          await queryClient.invalidateQueries(trpc.automations.pathFilter());
          notifications.show({ message: `${name} is saved.` });
          await navigate({ to: "/automations/$automationId", params: { automationId: id } });
        }}
      />
    </>
  );
}
