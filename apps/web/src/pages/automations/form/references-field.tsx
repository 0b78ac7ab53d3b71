import { ActionIcon, Fieldset, Group, Paper, Select, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../../api.ts";
import { toFailure } from "../../../errors/failure.ts";
import { AnchorTo } from "../../../ui/links.tsx";
import type { AutomationValues } from "./form-values.ts";
import { ReferenceValues } from "./reference-values.tsx";

/** The references of the automation, each with values for its parameters. */
export function ReferencesField({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const { references } = form.values;
  const { error } = form.getInputProps("references");
  return (
    <Fieldset legend="What it looks at" mb="lg">
      <Stack gap="sm">
        {references.map(({ key, shortId, title }, index) => (
          <Paper key={key} withBorder p="sm" bg="transparent">
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Text fw={600}>{title}</Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove ${title}`}
                onClick={() => form.removeListItem("references", index)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Group>
            <ReferenceValues form={form} index={index} shortId={shortId} />
          </Paper>
        ))}
        <ReferencePicker
          error={error}
          isFirst={references.length === 0}
          onPick={({ shortId, title }) => {
            form.clearFieldError("references");
            form.insertListItem("references", {
              key: crypto.randomUUID(),
              shortId,
              title,
              parameterValues: {},
            });
          }}
        />
      </Stack>
    </Fieldset>
  );
}

interface Named {
  shortId: string;
  title: string;
}

function emptyText({ isFetching, error }: { isFetching: boolean; error: unknown }): string {
  if (isFetching) return "Searching…";
  return error ? toFailure(error).message : "No reference has these words";
}

interface ReferencePickerProps {
  isFirst: boolean;
  error: unknown;
  onPick: (reference: Named) => void;
}

function ReferencePicker({ isFirst, error, onPick }: ReferencePickerProps) {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed, 200);
  const recent = useQuery(trpc.references.list.queryOptions({ limit: 100, isOptimistic: false }));
  const found = useQuery(
    trpc.search.find.queryOptions(
      { text, kind: "reference", limit: 50 },
      { enabled: text.trim() !== "", placeholderData: keepPreviousData },
    ),
  );
  const hits = found.data?.items.flatMap((hit) => (hit.kind === "reference" ? [hit] : [])) ?? [];
  const shown: Named[] = text.trim() === "" ? (recent.data?.items ?? []) : hits;
  if (recent.data?.items.length === 0) {
    return (
      <Text size="sm">
        There are no references yet. Make one from a query, then come back.{" "}
        <AnchorTo to="/queries">Queries</AnchorTo>
      </Text>
    );
  }
  return (
    <Select
      label={isFirst ? "Choose a reference" : "Add another reference"}
      placeholder="Type a part of its title"
      data-path="references"
      error={typeof error === "string" ? error : undefined}
      searchable
      value={null}
      searchValue={typed}
      onSearchChange={setTyped}
      // The api filters, so the select must not.
      filter={({ options }) => options}
      data={shown.map(({ shortId, title }) => ({ value: shortId, label: title }))}
      nothingFoundMessage={emptyText(text.trim() === "" ? recent : found)}
      maxDropdownHeight={260}
      onChange={(shortId) => {
        const picked = shown.find((one) => one.shortId === shortId);
        if (picked) onPick(picked);
        setTyped("");
      }}
    />
  );
}
