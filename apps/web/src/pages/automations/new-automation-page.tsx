import { api } from "../../api.ts";
import { useMe } from "../../session/me.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { AutomationForm } from "./form/automation-form.tsx";
import { newValues } from "./form/form-values.ts";

export function NewAutomationPage() {
  const { user } = useMe();
  return (
    <>
      <PageHeader
        title="New automation"
        description="Choose what it looks at, when, and who hears of it. You can run it at once to see what it says."
      />
      <AutomationForm
        initialValues={newValues(user.id)}
        submit={{ label: "Make the automation", busy: "Making it…" }}
        onSave={(input) => api.automations.create.mutate(input)}
      />
    </>
  );
}
