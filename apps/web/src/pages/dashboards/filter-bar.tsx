import { Button, Group, Paper, Text } from "@mantine/core";
import type { DashboardFilters, InputError } from "@querybell/domain";
import { useState } from "react";
import { ParameterFields } from "../../parameters/parameter-fields.tsx";
import { isSameTexts, type ValueTexts } from "../../parameters/parameter-values.ts";
import { errorsByParameter, findTextErrors } from "../../parameters/value-errors.ts";
import classes from "./dashboard.module.css";

interface FilterBarProps {
  filters: DashboardFilters;
  /** As the address has them. */
  values: ValueTexts;
  /** What the api says about these values. */
  errors: readonly InputError[];
  onShow: (values: ValueTexts) => void;
}

/** The filters of a dashboard. An empty one has its default. */
export function FilterBar({ filters, values, errors, onShow }: FilterBarProps) {
  const [typed, setTyped] = useState(values);
  // Back, Forward and a click on a chart change the address too: the fields follow it.
  const [shown, setShown] = useState(values);
  if (!isSameTexts(values, shown)) {
    setShown(values);
    setTyped(values);
  }
  const { definitions } = filters;
  const fields = Object.fromEntries(errors.map(({ path, message }) => [path, message]));
  const inAddress = Object.entries(errorsByParameter(fields, definitions));
  // What is wrong with the address stays at a field until its text is changed.
  const unchanged = inAddress.filter(([name]) => typed[name] === values[name]);
  const unknown = unchanged.filter(([name]) => !definitions.some((one) => one.name === name));
  const show = () => {
    if (Object.keys(findTextErrors(filters, typed)).length === 0) onShow(typed);
  };
  const isChanged = !isSameTexts(typed, values);
  return (
    <Paper
      withBorder
      p="sm"
      mb="md"
      component="section"
      aria-label="Filters"
      className={classes.filters ?? ""}
    >
      <ParameterFields
        inputs={filters}
        values={typed}
        onChange={setTyped}
        errors={Object.fromEntries(unchanged)}
        onSubmit={show}
        isCompact
      />
      {unknown.length > 0 && (
        <Text size="sm" c="var(--qb-bad)" role="alert" mt="xs">
          {unknown.map(([, message]) => message).join(" ")} Reset the filters.
        </Text>
      )}
      {(isChanged || Object.keys(values).length > 0) && (
        <Group gap="xs" mt="xs">
          {isChanged && (
            <Button size="xs" onClick={show}>
              Show these values
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              setTyped({});
              onShow({});
            }}
          >
            Reset
          </Button>
        </Group>
      )}
    </Paper>
  );
}
