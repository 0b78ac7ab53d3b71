import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { api, queryClient, trpc } from "../../api.ts";
import { useMe } from "../../components/me.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { AutomationForm } from "./form/automation-form.tsx";
import { inputOf, newValues } from "./form/form-values.ts";

export function NewAutomationPage() {
  const { user } = useMe();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title="New automation"
        description="Choose what it looks at, when, and who hears of it. You can run it at once to see what it says."
      />
      <AutomationForm
        initialValues={newValues(user.id)}
        submit={{ label: "Make the automation", busy: "Making it…" }}
        onSubmit={async (values) => {
          const { id, name } = await api.automations.create.mutate(await inputOf(values));
          await queryClient.invalidateQueries(trpc.automations.pathFilter());
          notifications.show({ message: `${name} is saved.` });
          await navigate({ to: "/automations/$automationId", params: { automationId: id } });
        }}
      />
    </>
  );
}
