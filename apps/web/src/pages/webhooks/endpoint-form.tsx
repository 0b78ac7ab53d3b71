import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import { ActionForm } from "../../ui/action-form.tsx";
import { type Endpoint, eventTypes } from "./delivery-labels.ts";
import { EndpointFilterField } from "./endpoint-filter-field.tsx";

interface EndpointFormProps {
  /** Undefined for a new one. */
  endpoint?: Endpoint;
  submit: { label: string; busy: string };
  onSubmit: (settings: ReturnType<typeof toSettings>) => Promise<unknown>;
}

export function EndpointForm({ endpoint, submit, onSubmit }: EndpointFormProps) {
  const form = useForm<EndpointValues>({
    initialValues: toValues(endpoint),
    validate: {
      url: (url) =>
        URL.canParse(url.trim()) ? null : "Enter the whole address, like https://example.com/hooks.",
      eventTypes: (types) => (types.length === 0 ? "Choose at least one event." : null),
      filter: {
        conditions: {
          field: (field) => (field.trim() === "" ? "Choose a field." : null),
          value: (value, { filter }, path) =>
            value === "" && filter.conditions[Number(path.split(".")[2])]?.operator !== "is_empty"
              ? "Enter a value."
              : null,
        },
      },
    },
  });
  return (
    <ActionForm form={form} submit={submit} onSubmit={(values) => onSubmit(toSettings(values))}>
      <Stack maw="44rem" mb="lg">
        <TextInput
          label="URL"
          type="url"
          description="Querybell sends a POST to it for each event. It must be public and https, unless the operator allows others."
          placeholder="https://example.com/webhooks"
          maxLength={2048}
          {...form.getInputProps("url")}
        />
        <TextInput
          label="Description (optional)"
          description="Shown in the list of endpoints."
          maxLength={200}
          {...form.getInputProps("description")}
        />
        <Checkbox.Group label="Events" {...form.getInputProps("eventTypes")}>
          <Stack gap="xs" mt="xs">
            {eventTypes.map(({ value, label, description }) => (
              <Checkbox key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        <EndpointFilterField form={form} />
        <Headers form={form} />
        <Fieldset legend="Delivery options">
          <SimpleGrid cols={{ base: 1, xs: 2 }} mb="md">
            <NumberInput
              label="Maximum attempts at once"
              min={1}
              max={256}
              allowDecimal={false}
              {...form.getInputProps("maxInFlight")}
            />
            <NumberInput
              label="Maximum attempts per second"
              description="Empty: no limit."
              inputWrapperOrder={["label", "input", "description", "error"]}
              min={1}
              max={10_000}
              allowDecimal={false}
              {...form.getInputProps("maxPerSecond")}
            />
          </SimpleGrid>
          <Switch
            label="Also send the Standard Webhooks headers"
            description="For receivers that verify with a Standard Webhooks library."
            {...form.getInputProps("standardWebhooks", { type: "checkbox" })}
          />
          <Switch
            mt="md"
            label="Also send the header traceparent"
            description="For receivers that continue the trace, while the operator has tracing on."
            {...form.getInputProps("sendsTraceparent", { type: "checkbox" })}
          />
        </Fieldset>
      </Stack>
    </ActionForm>
  );
}

function Headers({ form }: { form: UseFormReturnType<EndpointValues> }) {
  const { headers } = form.values;
  return (
    <Fieldset legend="Custom headers (optional)">
      <Text size="sm" c="dimmed" mb="sm">
        Sent with each delivery, like a token for your gateway. Stored encrypted; the log shows *** for their
        values.
      </Text>
      {form.errors.headers && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mb="sm">
          {form.errors.headers}
        </Text>
      )}
      {headers.map((header, index) => (
        <Group key={header.key} wrap="nowrap" mb="xs" align="flex-start">
          <TextInput
            flex={1}
            aria-label={`Name of header ${index + 1}`}
            placeholder="Name"
            {...form.getInputProps(`headers.${index}.name`)}
          />
          <TextInput
            flex={2}
            aria-label={`Value of header ${index + 1}`}
            placeholder="Value"
            autoComplete="off"
            {...form.getInputProps(`headers.${index}.value`)}
          />
          <ActionIcon
            variant="subtle"
            size="lg"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => form.removeListItem("headers", index)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        onClick={() => form.insertListItem("headers", { key: crypto.randomUUID(), name: "", value: "" })}
      >
        Add a header
      </Button>
    </Fieldset>
  );
}

export type EndpointValues = ReturnType<typeof toValues>;

const toValues = (endpoint: Endpoint | undefined) => ({
  url: endpoint?.url ?? "",
  description: endpoint?.description ?? "",
  eventTypes: endpoint?.eventTypes ?? ["automation.run.completed", "automation.run.failed"],
  filter: {
    automations: endpoint?.filter?.automations ?? [],
    folderIds: endpoint?.filter?.folders.map(({ id }) => id) ?? [],
    conditions: (endpoint?.filter?.conditions ?? []).map(({ field, operator, value = "" }) => ({
      key: crypto.randomUUID(),
      ...{ field, operator, value },
    })),
  },
  headers: Object.entries(endpoint?.headers ?? {}).map(([name, value]) => ({ key: name, name, value })),
  standardWebhooks: endpoint?.standardWebhooks ?? false,
  sendsTraceparent: endpoint?.sendsTraceparent ?? false,
  maxInFlight: endpoint?.maxInFlight ?? 32,
  // Empty for no limit.
  maxPerSecond: endpoint?.maxPerSecond ?? ("" as const),
});

const toSettings = ({ url, filter, headers, maxPerSecond, ...values }: EndpointValues) => ({
  ...values,
  url: url.trim(),
  filter: {
    automationIds: filter.automations.map(({ id }) => id),
    folderIds: filter.folderIds,
    conditions: filter.conditions.map(({ field, operator, value }) => ({
      field: field.trim(),
      operator,
      ...(operator !== "is_empty" && { value }),
    })),
  },
  headers: Object.fromEntries(
    headers.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]),
  ),
  maxPerSecond: maxPerSecond === "" ? null : maxPerSecond,
});
