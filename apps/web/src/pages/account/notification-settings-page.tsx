import { Paper, Skeleton, Stack, Switch, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, showChange, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

type Preferences = Outputs["notifications"]["preferences"];
type Preference = Preferences["items"][number];

const kinds: Record<Preference["kind"], { title: string; description: string }> = {
  automation_run_failed: {
    title: "An automation’s run failed",
    description: "When a run of an automation that names you fails, or somebody else stops it.",
  },
  automation_summary: {
    title: "An automation’s summary",
    description: "When a run of an automation that names you has completed, with what it found.",
  },
  dashboard_refresh_failed: {
    title: "A dashboard’s refresh failed",
    description:
      "When a dashboard that you made or scheduled cannot be refreshed, once until it can be again.",
  },
};

const options = trpc.notifications.preferences.queryOptions();

/** The user's notification preferences, for all their organizations. */
export function NotificationSettingsPage() {
  const { data, error, refetch } = useQuery(options);
  const change = useMutation(
    trpc.notifications.setPreference.mutationOptions({
      // One after the other, so that the last one set is the one that stays.
      scope: { id: "notification preferences" },
      // Optimistic update. The response to the last change corrects it.
      onMutate: (changed) =>
        queryClient.setQueryData(
          options.queryKey,
          (before) =>
            before && {
              ...before,
              items: before.items.map((one) => (one.kind === changed.kind ? changed : one)),
            },
        ),
      onSuccess: (saved) => {
        if (queryClient.isMutating({ mutationKey: trpc.notifications.setPreference.mutationKey() }) === 1)
          showChange(options.queryKey, saved);
      },
      onError: () => queryClient.invalidateQueries(options),
    }),
  );
  return (
    <Stack maw="36rem">
      <PageHeader
        title="Notification settings"
        description="Automations name who is told of their runs. Here you turn off what you do not want to hear, in all your organizations."
      />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {change.error && <ErrorNotice error={change.error} />}
      {!data && !error && <Skeleton height={260} />}
      {data?.items.map((preference) => (
        <PreferenceCard
          key={preference.kind}
          preference={preference}
          sendsMail={data.sendsMail}
          onChange={(changed) => change.mutate(changed)}
        />
      ))}
      <Text size="sm" c="dimmed" role="status">
        {change.isPending ? "Saving…" : change.isSuccess ? "Saved." : ""}
      </Text>
      <Text size="sm" c="dimmed">
        When a webhook endpoint of yours fails or is disabled, you are always told in the app.
      </Text>
    </Stack>
  );
}

interface PreferenceCardProps {
  preference: Preference;
  sendsMail: boolean;
  onChange: (changed: Preference) => void;
}

function PreferenceCard({ preference, sendsMail, onChange }: PreferenceCardProps) {
  const { title, description } = kinds[preference.kind];
  return (
    <Paper component="section" withBorder p="lg" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {description}
      </Text>
      <Stack gap="xs">
        <Switch
          label="In the app"
          checked={preference.inApp}
          onChange={({ currentTarget }) => onChange({ ...preference, inApp: currentTarget.checked })}
        />
        <Switch
          label="By mail"
          checked={preference.byMail}
          description={sendsMail ? undefined : "No mail server is set up here, so no mails are sent."}
          onChange={({ currentTarget }) => onChange({ ...preference, byMail: currentTarget.checked })}
        />
      </Stack>
    </Paper>
  );
}
