import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { api, trpc } from "../../api.ts";
import { ErrorFrame, LoadingFrame } from "../../frame/frames.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AutomationForm } from "./form/automation-form.tsx";
import { valuesOf } from "./form/form-values.ts";

const route = getRouteApi("/app/automations/$automationId/edit");

export function EditAutomationPage() {
  const { automationId: id } = route.useParams();
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
        automationId={id}
        initialValues={valuesOf(data)}
        submit={{ label: "Save the changes", busy: "Saving…" }}
        onSave={(input) => api.automations.update.mutate({ id, ...input })}
      />
    </>
  );
}
