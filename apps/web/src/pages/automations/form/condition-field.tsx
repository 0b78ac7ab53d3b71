import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  NumberInput,
  Radio,
  Stack,
  Text,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { ConditionPart } from "./condition-part.tsx";
import { ConditionReplay } from "./condition-replay.tsx";
import { newPart } from "./condition-values.ts";
import type { AutomationValues } from "./form-values.ts";

const maxParts = 10;

/** When the automation speaks: always, or if a condition about one of its charts holds. */
export function ConditionField({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const { condition, agent } = form.values;
  return (
    <Fieldset legend="When it speaks" mb="lg">
      <Radio.Group aria-label="When it speaks" {...form.getInputProps("condition.speaks")}>
        <Stack gap="xs">
          <Radio value="always" label="After each run" />
          <Radio
            value="condition"
            label="Only if a condition holds"
            disabled={agent === "external" && condition.speaks === "always"}
            description={
              agent === "external"
                ? "An external agent decides itself when it speaks."
                : "Every run is listed here, but only those are told in which the condition is met or resolved."
            }
          />
        </Stack>
      </Radio.Group>
      {condition.speaks === "condition" && (condition.other ? <OtherCondition /> : <Condition form={form} />)}
    </Fieldset>
  );
}

const OtherCondition = () => (
  <Text size="sm" mt="sm">
    A program made this condition, with more than this form can show. It stays as it is. Choose “After each
    run” to remove it.
  </Text>
);

function Condition({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const { condition, references } = form.values;
  const { parts } = condition;
  const charts = [...new Map(references.map(({ shortId, title }) => [shortId, title]))];
  return (
    <Stack gap="sm" mt="md">
      <NativeSelect
        label="Chart"
        data={[
          { value: "", label: charts.length === 0 ? "Choose what it looks at first" : "Choose a chart" },
          ...charts.map(([value, label]) => ({ value, label })),
        ]}
        {...form.getInputProps("condition.shortId")}
      />
      {parts.length > 1 && (
        <NativeSelect
          label="It holds if"
          data={[
            { value: "all", label: "all of these hold" },
            { value: "any", label: "one of these holds" },
          ]}
          {...form.getInputProps("condition.joined")}
        />
      )}
      {parts.map(({ key }, index) => (
        <ConditionPart key={key} form={form} index={index} isOnly={parts.length === 1} />
      ))}
      {parts.length < maxParts && (
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => form.insertListItem("condition.parts", newPart())}
          >
            Add another part
          </Button>
        </Group>
      )}
      <Group align="flex-start">
        <NumberInput
          label="Met after so many runs in a row"
          min={1}
          max={100}
          {...form.getInputProps("condition.metForRuns")}
        />
        <NumberInput
          label="Resolved after so many runs in a row"
          min={1}
          max={100}
          {...form.getInputProps("condition.resolvedForRuns")}
        />
        <NumberInput
          label="Tell again after hours"
          description="Empty: it is told once"
          inputWrapperOrder={["label", "input", "description", "error"]}
          min={0.1}
          max={8760}
          {...form.getInputProps("condition.repeatAfterHours")}
        />
      </Group>
      <Checkbox
        label="Also tell when it is resolved"
        {...form.getInputProps("condition.tellsResolved", { type: "checkbox" })}
      />
      <ConditionReplay form={form} />
    </Stack>
  );
}
