import { Button, Fieldset, Group, Select, Stack, Text } from "@mantine/core";
import type { DashboardFilters, ParameterDefinition } from "@querybell/domain";
import { useState } from "react";
import { api } from "../../../api.ts";
import { showFailure } from "../../../errors/error-notice.tsx";
import { pluralize } from "../../../format/pluralize.ts";
import { definitionsFor, labelOf } from "../../../parameters/parameter-values.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { findInputErrors, withoutEmptyChoices } from "../../queries/definitions/definitions-dialog.tsx";
import { ParameterDefinitions } from "../../queries/definitions/parameter-definitions.tsx";
import type { Chart, Content, ShownChart } from "../dashboard.ts";
import { withFilters } from "./arrange-filters.ts";

interface FiltersDialogProps {
  content: Content;
  charts: readonly Chart[];
  onClose: () => void;
  onSave: (content: Content) => void;
}

/** Edits the filters of a dashboard, and which placeholders they feed. */
export function FiltersDialog({ content, charts, onClose, onSave }: FiltersDialogProps) {
  const [filters, setFilters] = useState<DashboardFilters>(content.filters);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const fed = charts.flatMap((chart) =>
    chart.state === "shown" && chart.placeholders.length > 0 ? [chart] : [],
  );
  const change = (changed: DashboardFilters) => {
    setFilters(changed);
    setErrors({});
  };
  const names = filters.definitions.map(({ name }) => name);
  const apply = () => {
    const next = { ...filters, ...withoutEmptyChoices(filters) };
    const wrong = findInputErrors(next);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    onSave(withFilters(content, next));
    onClose();
  };
  return (
    <Dialog onClose={onClose} title="Filters" size="xl">
      <Text size="sm" c="dimmed" mb="md">
        A filter gives its value to the placeholder of the same name in every chart. For each chart you can
        choose another placeholder, or none.
      </Text>
      <Stack gap="md">
        <AddFilter charts={fed} filters={filters} onChange={change} />
        {names.length > 0 && (
          <ParameterDefinitions
            queryId={undefined}
            sql=""
            inputs={filters}
            placeholders={names}
            errors={errors}
            onChange={(inputs) => change({ ...inputs, matches: filters.matches })}
            onRemove={({ name }) => change(removeFilter(filters, name))}
          >
            {(definition) => (
              <Matches definition={definition} charts={fed} filters={filters} onChange={change} />
            )}
          </ParameterDefinitions>
        )}
      </Stack>
      {Object.keys(errors).length > 0 && (
        <Text mt="md" size="sm" c="var(--qb-bad)" role="alert">
          Something does not fit: correct what is marked.
        </Text>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={apply}>Use these filters</Button>
      </Group>
    </Dialog>
  );
}

interface PartProps {
  charts: readonly ShownChart[];
  filters: DashboardFilters;
  onChange: (filters: DashboardFilters) => void;
}

/** Offers the placeholders of the charts. A filter begins with the definition that the chart has for it. */
function AddFilter({ charts, filters, onChange }: PartProps) {
  const names = new Set(charts.flatMap(({ placeholders }) => placeholders));
  const free = [...names].filter((name) => !filters.definitions.some((one) => one.name === name));
  const add = async (name: string) => {
    const chart = charts.find(({ placeholders }) => placeholders.includes(name));
    if (!chart) return;
    try {
      const { inputs } = await api.references.get.query({ shortId: chart.shortId });
      const range = inputs.ranges.find(({ start, end }) => start === name || end === name);
      const added = (range ? [range.start, range.end] : [name]).filter((one) => free.includes(one));
      const offered = added.flatMap((one) => {
        const choices = inputs.choices[one];
        // Choices that depend on a parameter need a filter for it.
        return choices && (choices.kind === "list" || choices.dependsOn.length === 0)
          ? [[one, choices] as const]
          : [];
      });
      onChange({
        ...filters,
        definitions: [...filters.definitions, ...definitionsFor(added, inputs.definitions)],
        choices: { ...filters.choices, ...Object.fromEntries(offered) },
        ranges: range && added.length === 2 ? [...filters.ranges, range] : filters.ranges,
      });
    } catch (error) {
      showFailure("Not added", error);
    }
  };
  if (names.size === 0) {
    return (
      <Text size="sm">
        No chart on this dashboard has a placeholder. Write one such as {"{{region}}"} into the query of a
        chart first.
      </Text>
    );
  }
  return (
    <Select
      label="Add a filter"
      placeholder={
        free.length === 0 ? "Every placeholder has a filter" : "Choose a placeholder of the charts"
      }
      data={free.map((name) => {
        const count = charts.filter(({ placeholders }) => placeholders.includes(name)).length;
        return { value: name, label: `{{${name}}} in ${pluralize(count, "chart")}` };
      })}
      value={null}
      onChange={(name) => {
        if (name !== null) void add(name);
      }}
      data-autofocus
    />
  );
}

function removeFilter(filters: DashboardFilters, gone: string): DashboardFilters {
  const { [gone]: _, ...choices } = filters.choices;
  return {
    definitions: filters.definitions.filter(({ name }) => name !== gone),
    choices: Object.fromEntries(
      Object.entries(choices).filter(
        ([, offered]) => offered.kind === "list" || !offered.dependsOn.includes(gone),
      ),
    ),
    ranges: filters.ranges.filter(({ start, end }) => start !== gone && end !== gone),
    matches: filters.matches.filter(({ filter }) => filter !== gone),
  };
}

const [byName, nothing] = ["by name", "nothing"];

interface MatchesProps extends PartProps {
  definition: ParameterDefinition;
}

/** Which placeholder of each chart the filter feeds. */
function Matches({ definition, charts, filters, onChange }: MatchesProps) {
  const { name } = definition;
  const label = labelOf(definition);
  const set = (referenceId: string, chosen: string) => {
    const others = filters.matches.filter(
      (match) => match.referenceId !== referenceId || (match.filter !== name && match.placeholder !== chosen),
    );
    const match = { filter: name, referenceId, placeholder: chosen === nothing ? null : chosen };
    onChange({ ...filters, matches: chosen === byName ? others : [...others, match] });
  };
  return (
    <Fieldset legend={`Charts that ${label} filters`} mt="sm">
      <Group gap="sm">
        {charts.map(({ referenceId, title, placeholders }) => {
          const match = filters.matches.find((one) => one.filter === name && one.referenceId === referenceId);
          const usual = placeholders.includes(name) ? `By name: {{${name}}}` : "Not by name";
          return (
            <Select
              key={referenceId}
              size="xs"
              label={title}
              allowDeselect={false}
              data={[
                { value: byName, label: usual },
                ...placeholders.map((one) => ({ value: one, label: `{{${one}}}` })),
                { value: nothing, label: "Not this chart" },
              ]}
              value={match ? (match.placeholder ?? nothing) : byName}
              onChange={(chosen) => set(referenceId, chosen ?? byName)}
            />
          );
        })}
      </Group>
    </Fieldset>
  );
}
