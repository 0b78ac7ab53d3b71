import { Radio, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { api, showChange, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { useRefreshMe } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { SingleSignOn } from "./single-sign-on.tsx";

/** How members sign in to the organization. */
export function SignInSettingsPage() {
  const { data: settings, error, refetch } = useQuery(trpc.settings.get.queryOptions());
  if (error && !settings) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!settings) return <LoadingFrame />;
  return (
    <>
      <PageHeader title="Sign-in" description="How members of the organization sign in." />
      <DemandedFactor settings={settings} />
      <SingleSignOn />
    </>
  );
}

/** For whom the organization demands a second factor. */
function DemandedFactor({ settings }: { settings: Outputs["settings"]["get"] }) {
  const refreshMe = useRefreshMe();
  const form = useForm({ initialValues: { secondFactorFor: settings.secondFactorFor } });
  return (
    <Section
      title="Second factor"
      description="Whoever has none sees nothing of the organization until they have set one up. API keys work without."
    >
      <ActionForm
        form={form}
        submit={{ label: "Save who needs it", busy: "Saving it…" }}
        onSubmit={async (values) => {
          const saved = await api.settings.update.mutate(values);
          showChange(trpc.settings.get.queryKey(), saved);
          await refreshMe();
          notifications.show({ message: "Saved." });
        }}
      >
        <Radio.Group label="Who needs a second factor" mb="md" {...form.getInputProps("secondFactorFor")}>
          <Stack gap="xs" mt={4}>
            <Radio value="nobody" label="Nobody: each person decides" />
            <Radio value="admins" label="Admins and owners" />
            <Radio value="everybody" label="Everybody" />
          </Stack>
        </Radio.Group>
      </ActionForm>
    </Section>
  );
}
