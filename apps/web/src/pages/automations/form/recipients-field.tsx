import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  NumberInput,
  Radio,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { maxRecipientMessages } from "@querybell/domain";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { destinationLabels } from "../../destinations/destination-labels.ts";
import { Filters } from "./condition-part.tsx";
import type { AutomationValues } from "./form-values.ts";
import { newChoice } from "./recipient-values.ts";
import { RecipientsPreview } from "./recipients-preview.tsx";

interface FormProps {
  form: UseFormReturnType<AutomationValues>;
}

/** Who gets which rows of a chart, each in a message of their own. */
export function RecipientsField({ form }: FormProps) {
  const { recipients, agent } = form.values;
  const cannot = agent === "external" && recipients.kind === "nobody";
  return (
    <Fieldset legend="Each person their rows" mb="lg">
      <Radio.Group aria-label="Each person their rows" {...form.getInputProps("recipients.kind")}>
        <Stack gap="xs">
          <Radio
            value="nobody"
            label="Nobody"
            {...(agent === "external" && { description: "An external agent sends its messages itself." })}
          />
          <Radio
            value="addresses"
            label="The mail addresses that a column has"
            description="One query, and one mail for each address with only its rows."
            disabled={cannot}
          />
          <Radio
            value="destinations"
            label="A destination for each value of a column"
            description="One query, and one message for each value with only its rows."
            disabled={cannot}
          />
        </Stack>
      </Radio.Group>
      {recipients.kind !== "nobody" && <Recipients form={form} />}
    </Fieldset>
  );
}

function Recipients({ form }: FormProps) {
  const { data: destinations, error, refetch } = useQuery(trpc.destinations.choices.queryOptions());
  const { recipients, references, condition } = form.values;
  const charts = [...new Map(references.map(({ shortId, title }) => [shortId, title]))];
  const toChoice = ({ id, kind, name }: NonNullable<typeof destinations>[number]) => ({
    value: id,
    label: `${destinationLabels[kind]}: ${name}`,
  });
  const takingAddresses = destinations?.filter(({ rowRecipients }) => rowRecipients) ?? [];
  const isByAddress = recipients.kind === "addresses";
  return (
    <Stack gap="sm" mt="md">
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      <Group align="flex-start">
        <NativeSelect
          label="Rows of"
          data={[
            { value: "", label: charts.length === 0 ? "Choose what it looks at first" : "Choose a chart" },
            ...charts.map(([value, label]) => ({ value, label })),
          ]}
          {...form.getInputProps("recipients.shortId")}
        />
        <TextInput
          label={isByAddress ? "Column of the addresses" : "Column of the values"}
          {...form.getInputProps("recipients.column")}
        />
      </Group>
      {isByAddress ? (
        <>
          <NativeSelect
            label="Sent by"
            description="A mail destination that takes addresses from rows. An admin says there who may be written to."
            data={[{ value: "", label: "Choose a mail destination" }, ...takingAddresses.map(toChoice)]}
            {...form.getInputProps("recipients.destinationId")}
          />
          {destinations && takingAddresses.length === 0 && (
            <Text size="sm" c="dimmed">
              No mail destination takes addresses from rows yet. An admin can allow it under Settings,
              Destinations.
            </Text>
          )}
        </>
      ) : (
        <Choices form={form} destinations={destinations?.map(toChoice) ?? []} />
      )}
      <Filters form={form} path="recipients.where" filters={recipients.where} />
      <Group align="flex-start">
        <NumberInput
          label="At most so many messages in a run"
          description="A run with more recipients fails and sends them nothing"
          inputWrapperOrder={["label", "input", "description", "error"]}
          min={1}
          max={maxRecipientMessages}
          {...form.getInputProps("recipients.maxMessages")}
        />
      </Group>
      <Checkbox
        label="Mails have the rows as a CSV file, too"
        {...form.getInputProps("recipients.csv", { type: "checkbox" })}
      />
      {condition.speaks === "condition" && (
        <Text size="sm" c="dimmed">
          They get messages in runs in which the condition is met. If it is about rows of this chart, they get
          only those of theirs that it names.
        </Text>
      )}
      <RecipientsPreview form={form} />
    </Stack>
  );
}

const maxChoices = 100;

function Choices({ form, destinations }: FormProps & { destinations: { value: string; label: string }[] }) {
  const { choices } = form.values.recipients;
  return (
    <Stack gap="xs">
      {choices.map(({ key }, index) => (
        <Group key={key} align="flex-end" role="group" aria-label={`Value ${index + 1}`}>
          <TextInput label="Rows with" {...form.getInputProps(`recipients.choices.${index}.value`)} />
          <NativeSelect
            label="Go to"
            data={[{ value: "", label: "Choose a destination" }, ...destinations]}
            {...form.getInputProps(`recipients.choices.${index}.destinationId`)}
          />
          {choices.length > 1 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove value ${index + 1}`}
              onClick={() => form.removeListItem("recipients.choices", index)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {choices.length < maxChoices && (
        <Group>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => form.insertListItem("recipients.choices", newChoice())}
          >
            Add a value
          </Button>
        </Group>
      )}
    </Stack>
  );
}
