import { Fieldset, Group, NativeSelect, NumberInput, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ActionForm } from "../../../components/action-form.tsx";
import type { AutomationValues } from "./form-values.ts";
import { ReferencesField } from "./references-field.tsx";
import { ScheduleField } from "./schedule-field.tsx";
import { problemOf, SubscribersField } from "./subscribers-field.tsx";

interface AutomationFormProps {
  initialValues: AutomationValues;
  submit: { label: string; busy: string };
  onSubmit: (values: AutomationValues) => Promise<unknown>;
}

const agents = [
  {
    value: "digest",
    label: "Digest",
    description: "Querybell runs the references and says what has changed. It needs nothing else.",
  },
  {
    value: "external",
    label: "External",
    description:
      "A program of yours claims the run with an API key, reads the instruction and does the work.",
  },
] as const;

/** Everything that an automation is, to make one or to change it. */
export function AutomationForm({ initialValues, submit, onSubmit }: AutomationFormProps) {
  const form = useForm<AutomationValues>({
    initialValues,
    validate: {
      name: (name) => (name.trim() === "" ? "Give it a name." : null),
      instruction: (instruction) => (instruction.trim() === "" ? "Say what it is for." : null),
      references: (references) => (references.length === 0 ? "Choose at least one reference." : null),
      subscribers: (subscribers) => subscribers.map(problemOf).find(Boolean) ?? null,
    },
  });
  return (
    <Stack maw="46rem">
      <ActionForm form={form} submit={submit} onSubmit={onSubmit}>
        <TextInput label="Name" mb="md" maxLength={200} {...form.getInputProps("name")} />
        <Textarea
          label="Instruction"
          description="What it is for, in words. Members read it in the chat; an external agent follows it."
          autosize
          minRows={2}
          maxRows={12}
          mb="lg"
          maxLength={10_000}
          {...form.getInputProps("instruction")}
        />
        <ReferencesField form={form} />
        <ScheduleField form={form} />
        <SubscribersField form={form} />
        <Fieldset legend="How it runs" mb="lg">
          <Radio.Group label="Agent" mb="md" {...form.getInputProps("agent")}>
            <Stack gap="xs" mt={4}>
              {agents.map((agent) => (
                <Radio key={agent.value} {...agent} />
              ))}
            </Stack>
          </Radio.Group>
          <Group align="flex-start">
            <NativeSelect
              label="While a run goes on"
              data={[
                { value: "queue", label: "the next one waits" },
                { value: "refuse", label: "no other one starts" },
              ]}
              {...form.getInputProps("whenBusy")}
            />
            <NumberInput
              label="Time limit in minutes"
              min={0.2}
              max={1440}
              step={5}
              clampBehavior="strict"
              {...form.getInputProps("timeLimitMinutes")}
            />
          </Group>
        </Fieldset>
      </ActionForm>
    </Stack>
  );
}
