import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Paper,
  Stack,
  TagsInput,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { FilterValues, PartKind, PartValues } from "./condition-values.ts";
import type { AutomationValues } from "./form-values.ts";

const toData = <Value extends string>(labels: Record<Value, string>) =>
  (Object.entries(labels) as [Value, string][]).map(([value, label]) => ({ value, label }));

const kinds: Record<PartKind, string> = {
  figure: "A figure of the rows",
  rows: "A comparison of rows",
  rows_changed: "Rows that entered, left or changed",
  out_of_the_ordinary: "A figure is out of the ordinary",
  stale: "No new data",
  failed: "The run fails",
  cut: "A limit cuts the result",
};

const operations: Record<PartValues["figure"]["operation"], string> = {
  sum: "the sum of",
  count: "the number of rows",
  distinct_count: "the number of different values of",
  average: "the average of",
  minimum: "the minimum of",
  maximum: "the maximum of",
  value: "the only value of",
};

const operators: Record<PartValues["is"]["operator"], string> = {
  more: "is more than",
  at_least: "is at least",
  less: "is less than",
  at_most: "is at most",
  equals: "equals",
  not_equals: "does not equal",
};

const others: Record<PartValues["is"]["to"]["kind"], string> = {
  value: "a value",
  last_run: "that of the last run",
  period_before: "that of the period before",
  column: "that of another column",
  chart: "the same figure of another chart",
};

const periods = { day: "day", week: "week", month: "month", quarter: "quarter", year: "year" };

const falseAlarms: Record<PartValues["falseAlarms"], string> = {
  one_a_year: "about one false alarm a year",
  one_in_three_months: "about one false alarm in three months",
  one_a_month: "about one false alarm a month",
  one_a_week: "about one false alarm a week",
};

const directions = { both: "too high or too low", above: "too high", below: "too low" };

const filterOperators: Record<FilterValues["operator"], string> = {
  equals: "equals",
  not_equals: "does not equal",
  less: "is less than",
  at_most: "is at most",
  more: "is more than",
  at_least: "is at least",
  contains: "contains",
  is_empty: "is empty",
};

interface PartProps {
  form: UseFormReturnType<AutomationValues>;
  /** Of the part in the form. */
  index: number;
}

/** One part of a condition. */
export function ConditionPart({ form, index, isOnly }: PartProps & { isOnly: boolean }) {
  const part = form.values.condition.parts[index];
  if (!part) return null;
  const path = `condition.parts.${index}`;
  const name = `Part ${index + 1}`;
  return (
    <Paper withBorder p="sm" bg="transparent" role="group" aria-label={`${name} of the condition`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <NativeSelect label="What is judged" data={toData(kinds)} {...form.getInputProps(`${path}.kind`)} />
        {!isOnly && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove part ${index + 1} of the condition`}
            onClick={() => form.removeListItem("condition.parts", index)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      <Stack gap="sm" mt="sm">
        <PartFields form={form} index={index} part={part} path={path} />
      </Stack>
    </Paper>
  );
}

interface FieldsProps extends PartProps {
  part: PartValues;
  path: string;
}

function PartFields(props: FieldsProps) {
  const { form, part, path } = props;
  switch (part.kind) {
    case "figure":
      return (
        <>
          <FigureFields {...props} />
          <TestFields {...props} />
          <Filters form={form} path={`${path}.figure.where`} filters={part.figure.where} />
        </>
      );
    case "rows":
      return (
        <>
          <Group align="flex-start">
            <NativeSelect
              label="Rows"
              data={toData({ any: "any row", every: "every row" })}
              {...form.getInputProps(`${path}.which`)}
            />
            <TextInput label="Column" {...form.getInputProps(`${path}.column`)} />
          </Group>
          <TestFields {...props} />
          <Filters form={form} path={`${path}.where`} filters={part.where} />
        </>
      );
    case "rows_changed":
      return (
        <>
          <Checkbox.Group label="Rows that" {...form.getInputProps(`${path}.changes`)}>
            <Group gap="lg" mt={4}>
              <Checkbox value="entered" label="entered" />
              <Checkbox value="left" label="left" />
              <Checkbox value="changed" label="changed" />
            </Group>
          </Checkbox.Group>
          <TagsInput
            label="Columns that identify a row"
            description="Press Enter after each. No two rows may have the same values in all of them."
            {...form.getInputProps(`${path}.keyColumns`)}
          />
          <Filters form={form} path={`${path}.where`} filters={part.where} />
        </>
      );
    case "out_of_the_ordinary":
      return <OrdinaryFields {...props} />;
    case "stale":
      return (
        <Group align="flex-start">
          <TextInput label="Column of times" {...form.getInputProps(`${path}.dates`)} />
          <NumberInput
            label="Its newest time is older than hours"
            min={0.1}
            max={8760}
            {...form.getInputProps(`${path}.afterHours`)}
          />
        </Group>
      );
    case "failed":
    case "cut":
      return null;
  }
}

function OrdinaryFields(props: FieldsProps) {
  const { form, part, path } = props;
  return (
    <>
      <FigureFields {...props} />
      <Group align="flex-start">
        <NativeSelect label="It is" data={toData(directions)} {...form.getInputProps(`${path}.direction`)} />
        <NativeSelect
          label="With"
          data={toData(falseAlarms)}
          {...form.getInputProps(`${path}.falseAlarms`)}
        />
      </Group>
      <TextInput
        label="Column of times"
        description="If the rows are a series over time. Empty: the figures of the runs are compared."
        {...form.getInputProps(`${path}.dates`)}
      />
      <Filters form={form} path={`${path}.figure.where`} filters={part.figure.where} />
    </>
  );
}

const FigureFields = ({ form, part, path }: FieldsProps) => (
  <Group align="flex-start">
    <NativeSelect
      label="Figure"
      data={toData(operations)}
      {...form.getInputProps(`${path}.figure.operation`)}
    />
    {part.figure.operation !== "count" && (
      <TextInput label="Column" {...form.getInputProps(`${path}.figure.column`)} />
    )}
  </Group>
);

function TestFields({ form, part, path }: FieldsProps) {
  const { kind } = part.is.to;
  const { references } = form.values;
  const charts = [...new Map(references.map(({ shortId, title }) => [shortId, title]))];
  const to = `${path}.is.to`;
  return (
    <>
      <Group align="flex-start">
        <NativeSelect
          label="Comparison"
          data={toData(operators)}
          {...form.getInputProps(`${path}.is.operator`)}
        />
        <NativeSelect
          label="Compared with"
          data={toData(others).filter(
            ({ value }) => part.kind === "figure" || value === "value" || value === "column",
          )}
          {...form.getInputProps(`${to}.kind`)}
        />
        {kind === "value" && <TextInput label="Value" {...form.getInputProps(`${to}.value`)} />}
        {kind === "column" && <TextInput label="Other column" {...form.getInputProps(`${to}.column`)} />}
        {kind === "chart" && (
          <NativeSelect
            label="Other chart"
            data={[
              { value: "", label: "Choose a chart" },
              ...charts.map(([value, label]) => ({ value, label })),
            ]}
            {...form.getInputProps(`${to}.shortId`)}
          />
        )}
        {kind === "period_before" && (
          <>
            <TextInput label="Column of dates" {...form.getInputProps(`${to}.dates`)} />
            <NativeSelect label="Period" data={toData(periods)} {...form.getInputProps(`${to}.period`)} />
          </>
        )}
      </Group>
      <Group align="flex-start">
        <TextInput
          label="By more than"
          description="Empty: by anything"
          inputWrapperOrder={["label", "input", "description", "error"]}
          inputMode="decimal"
          {...form.getInputProps(`${path}.is.by.amount`)}
        />
        {part.is.by.amount !== "" && (
          <NativeSelect
            label="Unit"
            data={toData({ absolute: "absolute", percent: "percent" })}
            {...form.getInputProps(`${path}.is.by.unit`)}
          />
        )}
        <TextInput
          label="Margin"
          description="Once met, until it is so far on the other side"
          inputWrapperOrder={["label", "input", "description", "error"]}
          inputMode="decimal"
          {...form.getInputProps(`${path}.is.margin`)}
        />
      </Group>
    </>
  );
}

interface FiltersProps {
  form: UseFormReturnType<AutomationValues>;
  path: string;
  filters: FilterValues[];
}

/** Which rows count. */
export const Filters = ({ form, path, filters }: FiltersProps) => (
  <Stack gap="xs">
    {filters.map((filter, index) => (
      <Group key={index} align="flex-end" role="group" aria-label={`Only rows: filter ${index + 1}`}>
        <TextInput label="Only rows whose" {...form.getInputProps(`${path}.${index}.column`)} />
        <NativeSelect
          label="Is"
          data={toData(filterOperators)}
          {...form.getInputProps(`${path}.${index}.operator`)}
        />
        {filter.operator !== "is_empty" && (
          <TextInput label="Filter value" {...form.getInputProps(`${path}.${index}.value`)} />
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove filter ${index + 1}`}
          onClick={() => form.removeListItem(path, index)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
    ))}
    {filters.length < 6 && (
      <Group>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => form.insertListItem(path, { column: "", operator: "equals", value: "" })}
        >
          Only some rows
        </Button>
      </Group>
    )}
  </Stack>
);
