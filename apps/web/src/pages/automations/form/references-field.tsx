import { ActionIcon, Fieldset, Group, Paper, Select, Skeleton, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { toFailure } from "../../../errors/failure.ts";
import { ParameterFields } from "../../../parameters/parameter-fields.tsx";
import { AnchorTo } from "../../../ui/links.tsx";
import type { AutomationValues } from "./form-values.ts";

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
        <DashboardPicker form={form} />
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

/** The dashboard that the automation looks at, if it does. */
function DashboardPicker({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const { dashboard } = form.values;
  const [typed, setTyped] = useState(dashboard?.title ?? "");
  const [text] = useDebouncedValue(typed, 200);
  const { data } = useQuery(
    trpc.search.find.queryOptions(
      { text, kind: "dashboard", limit: 50 },
      { enabled: text.trim() !== "", placeholderData: keepPreviousData },
    ),
  );
  const hits = data?.items.flatMap((hit) => (hit.kind === "dashboard" ? [hit] : [])) ?? [];
  const found = hits.map(({ id, title }) => ({ id, title }));
  const shown = dashboard && !found.some(({ id }) => id === dashboard.id) ? [dashboard, ...found] : found;
  const { error } = form.getInputProps("dashboardId");
  return (
    <Select
      label="A dashboard"
      description="Each run refreshes it, and says what has changed in all its charts."
      placeholder="None. Type a part of its title"
      data-path="dashboardId"
      error={typeof error === "string" ? error : undefined}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "No dashboard" }}
      value={dashboard?.id ?? null}
      searchValue={typed}
      onSearchChange={setTyped}
      // The api filters, so the select must not.
      filter={({ options }) => options}
      data={shown.map(({ id, title }) => ({ value: id, label: title }))}
      nothingFoundMessage={text.trim() === "" ? "Type a part of its title" : "No dashboard has these words"}
      maxDropdownHeight={260}
      onChange={(id) => {
        form.clearFieldError("references");
        form.setFieldValue("dashboard", shown.find((one) => one.id === id) ?? null);
      }}
    />
  );
}

interface Named {
  shortId: string;
  title: string;
}

function emptyText({ isFetching, error }: { isFetching: boolean; error: unknown }): string {
  if (isFetching) return "Searching…";
  return error ? toFailure(error).message : "No chart has these words";
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
        There are no charts yet. Make one from a query, then come back.{" "}
        <AnchorTo to="/queries">Queries</AnchorTo>
      </Text>
    );
  }
  return (
    <Select
      label={isFirst ? "Choose a chart" : "Add another chart"}
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

interface ReferenceValuesProps {
  form: UseFormReturnType<AutomationValues>;
  /** The index of the reference in the form. */
  index: number;
  shortId: string;
}

/** The parameter values of a reference. Empty ones take their defaults. */
function ReferenceValues({ form, index, shortId }: ReferenceValuesProps) {
  const { data, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  if (error && toFailure(error).code === "not_found") {
    return (
      <Text size="sm" c="var(--qb-bad)">
        This chart was deleted. Every run fails until you remove it here.
      </Text>
    );
  }
  if (error && !data) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={20} mt="xs" />;
  if (data.inputs.definitions.length === 0) return null;
  const path = `references.${index}.parameterValues`;
  return (
    <Stack gap={4} mt="xs">
      <ParameterFields
        inputs={data.inputs}
        values={form.values.references[index]?.parameterValues ?? {}}
        onChange={(values) => {
          form.setFieldValue(path, values);
          for (const name of Object.keys(errorsBelow(path, form.errors))) {
            form.clearFieldError(`${path}.${name}`);
          }
        }}
        errors={errorsBelow(path, form.errors)}
        path={path}
      />
      {data.inputs.definitions.some(({ type }) => type === "date" || type === "timestamp") && (
        <Text size="xs" c="dimmed">
          Days like today-7d and month_start are counted anew at each run.
        </Text>
      )}
    </Stack>
  );
}

/** The errors of the values, by parameter. */
const errorsBelow = (path: string, errors: UseFormReturnType<AutomationValues>["errors"]) =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([field, message]) =>
      field.startsWith(`${path}.`) && typeof message === "string"
        ? [[field.slice(path.length + 1), message]]
        : [],
    ),
  );
