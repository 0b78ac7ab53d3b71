import { Button, Group, List, Menu, Paper, Skeleton, Text, Title } from "@mantine/core";
import { describeFact } from "@querybell/domain";
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { useMemberName } from "../../session/me.ts";
import { AnchorTo } from "../../ui/links.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { Automation } from "./automation-card.tsx";
import { ConditionTag, conditionWords } from "./condition-tag.tsx";

type State = NonNullable<Automation["conditionState"]>;

const hourMs = 3_600_000;
const snoozes = [
  { label: "For an hour", ms: hourMs },
  { label: "For a day", ms: 24 * hourMs },
  { label: "For a week", ms: 7 * 24 * hourMs },
];

const refresh = () => queryClient.invalidateQueries(trpc.automations.pathFilter());

/** The state of an automation's condition, what people can do about it, and its history. */
export function ConditionPanel({
  automation: { id, references, condition },
  state,
}: {
  automation: Automation;
  state: State;
}) {
  const chart = references.find(({ shortId }) => shortId === condition?.shortId);
  return (
    <Paper component="section" withBorder p="md" mb="lg" aria-labelledby="condition">
      <Group justify="space-between" mb="xs">
        <Group gap="xs">
          <Title order={2} size="h5" id="condition">
            Condition
          </Title>
          <ConditionTag status={state.status} />
        </Group>
        <ConditionActions id={id} state={state} />
      </Group>
      <Text size="sm">
        {chart ? `About “${chart.title}”. ` : ""}
        {conditionWords(state)}
      </Text>
      <ConditionPeople state={state} />
      <ConditionHistory id={id} />
    </Paper>
  );
}

function ConditionActions({ id, state }: { id: string; state: State }) {
  const acknowledge = useMutation(
    trpc.automations.acknowledgeCondition.mutationOptions({ onSuccess: refresh }),
  );
  const snooze = useMutation(trpc.automations.snoozeCondition.mutationOptions({ onSuccess: refresh }));
  const error = acknowledge.error ?? snooze.error;
  return (
    <Group gap="xs">
      {state.since !== null && !state.acknowledged && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => !acknowledge.isPending && acknowledge.mutate({ id })}
        >
          {acknowledge.isPending ? "Acknowledging…" : "Acknowledge"}
        </Button>
      )}
      {state.snoozed ? (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => !snooze.isPending && snooze.mutate({ id, until: null })}
        >
          End the snooze
        </Button>
      ) : (
        <Menu>
          <Menu.Target>
            <Button variant="default" size="compact-sm">
              {snooze.isPending ? "Snoozing…" : "Snooze"}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {snoozes.map(({ label, ms }) => (
              <Menu.Item
                key={label}
                onClick={() => snooze.mutate({ id, until: new Date(Date.now() + ms).toISOString() })}
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {error && <ErrorNotice error={error} />}
    </Group>
  );
}

function ConditionPeople({ state: { acknowledged, snoozed } }: { state: State }) {
  const nameOf = useMemberName("a former member");
  return (
    <>
      {acknowledged && (
        <Text size="sm" c="dimmed">
          Acknowledged by {nameOf(acknowledged.by ?? "")}, <Timestamp at={acknowledged.at} />. It is not told
          again until it is resolved.
        </Text>
      )}
      {snoozed && (
        <Text size="sm" c="dimmed">
          Snoozed by {nameOf(snoozed.by ?? "")} until <Timestamp at={snoozed.until} />. People are told
          nothing until then.
        </Text>
      )}
    </>
  );
}

const toldWords = { met: "Told: met", again: "Told again", resolved: "Told: resolved" };

function ConditionHistory({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(trpc.automations.listConditionChanges.queryOptions({ id }));
  if (error && !data) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={40} mt="sm" />;
  if (data.items.length === 0) return null;
  return (
    <>
      <Title order={3} size="h6" mt="sm" mb={4}>
        What has happened
      </Title>
      <List size="sm" aria-label="What has happened">
        {data.items.slice(0, 10).map(({ runId, shortId, at, status, told, facts, reason }) => (
          <List.Item key={runId}>
            <AnchorTo to="/chats/$shortId" params={{ shortId }} size="sm">
              <Timestamp at={at} />
            </AnchorTo>{" "}
            <ConditionTag status={status} /> {told ? `${toldWords[told]}. ` : ""}
            {facts.map(describeFact).join(" ") || reason}
          </List.Item>
        ))}
      </List>
    </>
  );
}
