import {
  ActionIcon,
  Autocomplete,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NativeSelect,
  Text,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { pathText } from "../../library/folder-tree.ts";
import type { EndpointValues } from "./endpoint-form.tsx";
import { conditionOperators, type FilterOperator } from "./event-labels.ts";

type Form = UseFormReturnType<EndpointValues>;

/** Which of the chosen events the endpoint gets. */
export function EndpointFilterField({ form }: { form: Form }) {
  const { data: folders } = useQuery(trpc.folders.list.queryOptions());
  const { folderIds } = form.values.filter;
  const deleted = folderIds.filter((id) => folders && !folders.some((folder) => folder.id === id));
  return (
    <Fieldset legend="Only some of these events (optional)">
      <Text size="sm" c="dimmed" mb="sm">
        An event is sent if all that you choose here holds. Tests and resends are always sent.
      </Text>
      <AutomationsField form={form} />
      <MultiSelect
        mt="sm"
        label="Automations in folders"
        description="With the folders in them, as they are when the event occurs."
        placeholder={folderIds.length === 0 ? "All" : ""}
        searchable
        limit={50}
        data={[
          ...(folders ?? []).map(({ id }) => ({ value: id, label: pathText(folders ?? [], id) })),
          ...deleted.map((id) => ({ value: id, label: "A deleted folder" })),
        ]}
        {...form.getInputProps("filter.folderIds")}
      />
      <Conditions form={form} />
    </Fieldset>
  );
}

/** Automations by their names. An organization can have thousands, so the api searches. */
function AutomationsField({ form }: { form: Form }) {
  const { automations } = form.values.filter;
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed, 200);
  const { data } = useQuery(
    trpc.search.find.queryOptions(
      { text, kind: "automation", limit: 50 },
      { enabled: text.trim() !== "", placeholderData: keepPreviousData },
    ),
  );
  const hits = data?.items.flatMap((hit) => (hit.kind === "automation" ? [hit] : [])) ?? [];
  const found = hits.map(({ id, title }) => ({ id, name: title }));
  const known = [...automations, ...found.filter(({ id }) => !automations.some((one) => one.id === id))];
  return (
    <MultiSelect
      label="Automations"
      placeholder={automations.length === 0 ? "All. Type a part of a name" : ""}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The api filters, so the field must not.
      filter={({ options }) => options}
      nothingFoundMessage={text.trim() === "" ? "Type a part of a name" : "No automation has these words"}
      data={known.map(({ id, name }) => ({ value: id, label: name ?? "A deleted automation" }))}
      value={automations.map(({ id }) => id)}
      onChange={(ids) =>
        form.setFieldValue(
          "filter.automations",
          ids.map((id) => known.find((one) => one.id === id) ?? { id, name: null }),
        )
      }
    />
  );
}

function Conditions({ form }: { form: Form }) {
  const { data: types } = useQuery(trpc.webhookEndpoints.eventTypes.queryOptions({}));
  const chosen = (types ?? []).filter(({ type }) => form.values.eventTypes.includes(type));
  const fields = [...new Set(chosen.flatMap((entry) => entry.fields))];
  return (
    <>
      {form.values.filter.conditions.map(({ key, operator }, index) => {
        const path = `filter.conditions.${index}`;
        const name = `condition ${index + 1}`;
        return (
          <Group key={key} mt="sm" wrap="nowrap" align="flex-start">
            <Autocomplete
              flex={2}
              aria-label={`Field of ${name}`}
              placeholder="Field, like facts.value"
              data={fields}
              {...form.getInputProps(`${path}.field`)}
            />
            <NativeSelect
              flex={1}
              aria-label={`Comparison of ${name}`}
              data={Object.entries(conditionOperators).map(([value, label]) => ({ value, label }))}
              {...form.getInputProps(`${path}.operator`)}
            />
            {operator !== "is_empty" && (
              <TextInput
                flex={2}
                aria-label={`Value of ${name}`}
                placeholder="Value"
                maxLength={500}
                {...form.getInputProps(`${path}.value`)}
              />
            )}
            <ActionIcon
              variant="subtle"
              size="lg"
              aria-label={`Remove ${name}`}
              onClick={() => form.removeListItem("filter.conditions", index)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        );
      })}
      <Button variant="default" size="xs" mt="sm" onClick={() => addCondition(form)}>
        Add a condition on the data
      </Button>
    </>
  );
}

const addCondition = (form: Form) =>
  form.insertListItem("filter.conditions", {
    key: crypto.randomUUID(),
    field: "",
    operator: "equals" satisfies FilterOperator,
    value: "",
  });
