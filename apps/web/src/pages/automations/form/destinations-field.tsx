import { ActionIcon, Checkbox, Fieldset, Group, Paper, Select, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { useMe } from "../../../session/me.ts";
import { AnchorTo } from "../../../ui/links.tsx";
import {
  destinationEventNames,
  destinationEvents,
  destinationLabels,
  firstDestinationEvents,
  firstEventsWithCondition,
} from "../../destinations/destination-labels.ts";
import type { AutomationValues, ChosenDestination } from "./form-values.ts";

/** The channels and mail addresses that get messages about runs. */
export function DestinationsField({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const { data: choices, error, refetch } = useQuery(trpc.destinations.choices.queryOptions());
  const { isAdmin } = useMe();
  const { destinations } = form.values;
  const labelOf = (id: string) => {
    const found = choices?.find((choice) => choice.id === id);
    return found ? `${destinationLabels[found.kind]}: ${found.name}` : "A destination";
  };
  const others = choices?.filter(({ id }) => !destinations.some((one) => one.destinationId === id)) ?? [];
  return (
    <Fieldset legend="Where messages go" mb="lg">
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      <Stack gap="sm">
        {destinations.map(({ destinationId }, index) => (
          <DestinationRow
            key={destinationId}
            form={form}
            index={index}
            label={labelOf(destinationId)}
            isMail={choices?.find(({ id }) => id === destinationId)?.kind === "mail"}
          />
        ))}
        {others.length > 0 && (
          <Select
            label="Add a destination"
            placeholder="Choose a channel or mail addresses"
            searchable
            value={null}
            data={others.map(({ id }) => ({ value: id, label: labelOf(id) }))}
            onChange={(destinationId) => {
              if (destinationId) {
                const hasCondition = form.values.condition.speaks === "condition";
                const events = [...(hasCondition ? firstEventsWithCondition : firstDestinationEvents)];
                form.insertListItem("destinations", { destinationId, events, csv: false });
              }
            }}
          />
        )}
        {choices?.length === 0 && (
          <Text size="sm" c="dimmed">
            There is no destination yet.{" "}
            {isAdmin ? (
              <AnchorTo to="/settings/destinations">Add a channel or mail addresses</AnchorTo>
            ) : (
              "An admin can add channels of Slack, Microsoft Teams and Discord, and mail addresses"
            )}
            .
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}

interface DestinationRowProps {
  form: UseFormReturnType<AutomationValues>;
  index: number;
  label: string;
  isMail: boolean;
}

function DestinationRow({ form, index, label, isMail }: DestinationRowProps) {
  const error = eventProblemOf(form.values.destinations[index]);
  return (
    <Paper withBorder p="sm" bg="transparent" role="group" aria-label={`What is sent to ${label}`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb={4}>
        <Text fw={600}>{label}</Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Send nothing to ${label}`}
          onClick={() => form.removeListItem("destinations", index)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      <Checkbox.Group {...form.getInputProps(`destinations.${index}.events`)}>
        <Group gap="lg">
          {destinationEventNames.map((event) => (
            <Checkbox key={event} value={event} label={destinationEvents[event]} />
          ))}
        </Group>
      </Checkbox.Group>
      {isMail && (
        <Checkbox
          mt="sm"
          label="With the results of the charts as CSV files, up to 6 MiB"
          {...form.getInputProps(`destinations.${index}.csv`, { type: "checkbox" })}
        />
      )}
      {error && (
        <Text size="sm" c="var(--qb-bad)" mt={4} role="alert">
          {error}
        </Text>
      )}
    </Paper>
  );
}

/** The error that the api would return, shown while the user chooses. */
export const eventProblemOf = (destination: ChosenDestination | undefined): string | undefined =>
  destination?.events.length === 0 ? "Choose what is sent there. Or remove it." : undefined;
