import { Button, Code, Group, List, Skeleton, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Inputs, Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, showChange, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { fromLocalInput, readerZone, toLocalInput } from "../../format/times.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

type Settings = Outputs["settings"]["get"];

const save = async (change: Inputs["settings"]["update"]) => {
  const saved = await api.settings.update.mutate(change);
  showChange(trpc.settings.get.queryKey(), saved);
};

/** Whether the published REST routes answer, until when, and who still calls them. */
export function RestCompatibility({ settings }: { settings: Settings }) {
  const [isRetiring, setIsRetiring] = useState(false);
  const { restCompatibility, restSunsetAt } = settings;
  const isLive = restCompatibility === "live";
  return (
    <Section
      title="REST compatibility"
      description="The published REST routes are deprecated. Programs that still call them work until the routes are retired for this organization; then they answer 404 for good."
      actions={<Tag tone={isLive ? "good" : "quiet"}>{isLive ? "Live" : "Retired"}</Tag>}
    >
      {isLive ? (
        <>
          <Text mb="sm">
            {restSunsetAt ? (
              <>
                They retire by themselves <Timestamp at={restSunsetAt} />. Programs are told so in each
                answer.
              </>
            ) : (
              "No date is set. Programs are told in each answer that the routes are deprecated."
            )}
          </Text>
          <SunsetForm restSunsetAt={restSunsetAt} />
        </>
      ) : (
        <Text mb="sm">
          They are retired. Only the operator of this deployment can bring them back, with a command.
        </Text>
      )}
      <RestCallers />
      {isLive && (
        <Button color="red" variant="light" mt="md" onClick={() => setIsRetiring(true)}>
          Retire them now
        </Button>
      )}
      <ConfirmModal
        opened={isRetiring}
        onClose={() => setIsRetiring(false)}
        title="Retire the REST routes now?"
        action="Retire them now"
        onConfirm={async () => {
          await save({ restCompatibility: "retired" });
          notifications.show({ message: "The REST routes are retired for this organization." });
        }}
      >
        <List spacing="xs">
          <List.Item>
            All nine routes answer 404 within five seconds, to every key of this organization.
          </List.Item>
          <List.Item>
            No admin can undo this: going back is a command of this deployment’s operator.
          </List.Item>
          <List.Item>Keys, queries and charts stay, and work over tRPC.</List.Item>
        </List>
      </ConfirmModal>
    </Section>
  );
}

function SunsetForm({ restSunsetAt }: Pick<Settings, "restSunsetAt">) {
  const form = useForm({
    initialValues: { restSunsetAt: restSunsetAt ? toLocalInput(restSunsetAt) : "" },
    validate: {
      restSunsetAt: (at) => (fromLocalInput(at) ? null : "Choose a day and a time, in the future."),
    },
  });
  const cancelSunset = useMutation({
    mutationFn: () => save({ restSunsetAt: null }),
    onSuccess: () => form.setFieldValue("restSunsetAt", ""),
  });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Save the date", busy: "Saving it…" }}
      onSubmit={async (values) => {
        await save({ restSunsetAt: fromLocalInput(values.restSunsetAt) ?? null });
        notifications.show({ message: "Saved. Every response now has the date in its Sunset header." });
      }}
    >
      <Group align="flex-end" mb="md">
        <TextInput
          type="datetime-local"
          label={`Retire them on (${readerZone()})`}
          {...form.getInputProps("restSunsetAt")}
        />
        {restSunsetAt && (
          <Button
            variant="default"
            aria-disabled={cancelSunset.isPending}
            onClick={() => {
              if (!cancelSunset.isPending) cancelSunset.mutate();
            }}
          >
            Take the date back
          </Button>
        )}
      </Group>
      {cancelSunset.error && <ErrorNotice error={cancelSunset.error} />}
    </ActionForm>
  );
}

/** The callers that retiring the REST routes would affect: the last call of each key and route. */
function RestCallers() {
  const {
    data: calls,
    error,
    refetch,
  } = useQuery(trpc.settings.restCalls.queryOptions(undefined, { refetchInterval: 30_000 }));
  return (
    <>
      <Title order={3} size="h6" mb="xs" mt="md">
        Who still calls
      </Title>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!calls && !error && <Skeleton height={60} />}
      {calls?.length === 0 && (
        <Text c="dimmed" size="sm">
          No key of this organization has called a REST route.
        </Text>
      )}
      {calls && calls.length > 0 && (
        <ItemList label="Who still calls">
          {calls.map(({ key, owner, route, lastCalledAt, retired }) => (
            <Item
              key={`${key.id} ${route}`}
              title={
                <>
                  {key.name} <Code>{key.start}…</Code>
                  {key.revoked && <Tag>Key revoked</Tag>}
                  {retired && <Tag>Answered 404</Tag>}
                </>
              }
            >
              <span>{route}</span>
              <span>
                Last <Timestamp at={lastCalledAt} format="relative" />
              </span>
              <span>
                {owner.name}, {owner.email}
              </span>
            </Item>
          ))}
        </ItemList>
      )}
    </>
  );
}
