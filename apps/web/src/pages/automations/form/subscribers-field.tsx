import { ActionIcon, Checkbox, Fieldset, Group, Paper, Select, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import type { AutomationValues, Subscriber } from "./form-values.ts";

const choices = [
  { field: "onFailure", label: "When a run fails" },
  { field: "onSummary", label: "With each summary" },
  { field: "inApp", label: "In the app" },
  { field: "byMail", label: "By mail" },
] as const;

const firstChoice = { inApp: true, byMail: false, onFailure: true, onSummary: true };

/** The members who are notified when runs end: of which outcomes, and by which channels. */
export function SubscribersField({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const { data: members, error, refetch } = useQuery(trpc.members.list.queryOptions());
  const { data: preferences } = useQuery(trpc.notifications.preferences.queryOptions());
  const { subscribers } = form.values;
  const nameOf = (id: string) => members?.find(({ userId }) => userId === id)?.name ?? "A member";
  const others = members?.filter(({ userId }) => !subscribers.some((one) => one.userId === userId)) ?? [];
  return (
    <Fieldset legend="Who is told" mb="lg">
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      <Stack gap="sm">
        {subscribers.length === 0 && (
          <Text size="sm" c="dimmed">
            Nobody. Runs are listed here and sent as webhooks all the same.
          </Text>
        )}
        {subscribers.map((subscriber, index) => (
          <SubscriberRow
            key={subscriber.userId}
            form={form}
            index={index}
            name={nameOf(subscriber.userId)}
            sendsMail={preferences?.sendsMail ?? true}
          />
        ))}
        {others.length > 0 && (
          <Select
            label="Add a member"
            placeholder="Choose somebody"
            searchable
            value={null}
            data={others.map(({ userId, name, email }) => ({ value: userId, label: `${name} (${email})` }))}
            onChange={(userId) => {
              if (userId) form.insertListItem("subscribers", { userId, ...firstChoice });
            }}
          />
        )}
        <Text size="sm" c="dimmed">
          Everybody can turn these off for themselves, under Your account.
        </Text>
      </Stack>
    </Fieldset>
  );
}

interface SubscriberRowProps {
  form: UseFormReturnType<AutomationValues>;
  index: number;
  name: string;
  sendsMail: boolean;
}

function SubscriberRow({ form, index, name, sendsMail }: SubscriberRowProps) {
  const subscriber = form.values.subscribers[index];
  const error = form.getInputProps(`subscribers.${index}`).error ?? problemOf(subscriber);
  return (
    <Paper withBorder p="sm" bg="transparent" role="group" aria-label={`How ${name} is told`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb={4}>
        <Text fw={600}>{name}</Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Do not tell ${name}`}
          onClick={() => form.removeListItem("subscribers", index)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      <Group gap="lg">
        {choices.map(({ field, label }) => (
          <Checkbox
            key={field}
            label={label}
            {...form.getInputProps(`subscribers.${index}.${field}`, { type: "checkbox" })}
          />
        ))}
      </Group>
      {subscriber?.byMail && !sendsMail && (
        <Text size="sm" c="dimmed" mt={4}>
          No mail server is set up here: mails are not sent until the operator sets SMTP_URL.
        </Text>
      )}
      {error && (
        <Text size="sm" c="var(--qb-bad)" mt={4} role="alert">
          {error}
        </Text>
      )}
    </Paper>
  );
}

/** The errors that the api would return, shown while the user types. */
export function problemOf(subscriber: Subscriber | undefined): string | undefined {
  if (!subscriber) return undefined;
  if (!subscriber.inApp && !subscriber.byMail) return "Choose in the app, by mail, or both. Or remove them.";
  if (!subscriber.onFailure && !subscriber.onSummary)
    return "Choose failures, summaries, or both. Or remove them.";
  return undefined;
}
