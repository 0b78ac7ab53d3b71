import { Checkbox, Group, NumberInput, Radio, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../../api.ts";
import type { AutomationValues } from "./form-values.ts";

/** Chooses the agent and, for a model, its budget and what it may do. */
export function AgentField({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const { data: model } = useQuery(trpc.models.get.queryOptions());
  const isChosen = form.values.agent === "model";
  return (
    <>
      <Radio.Group label="Agent" mb="md" {...form.getInputProps("agent")}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="digest"
            label="Digest"
            description="Querybell runs the charts and says what has changed. It does not follow the instruction, and needs nothing else."
          />
          <Radio
            value="model"
            label="Model"
            // An automation that already uses it may keep it. A message says what is missing.
            disabled={model?.isReady === false && !isChosen}
            description={
              model?.missing ??
              `${model?.name ?? "A language model"} follows the instruction and writes the summary. Rows are sent to its server; Querybell computes and words every statement from the data.`
            }
          />
          <Radio
            value="external"
            label="External"
            description="A program of yours claims the run with an API key, reads the instruction and does the work. Querybell does not check what it writes."
          />
        </Stack>
      </Radio.Group>
      {isChosen && (
        <>
          <Group align="flex-start" mb={4}>
            <NumberInput label="Steps of a run" min={3} max={100} {...form.getInputProps("budget.steps")} />
            <NumberInput
              label="Tokens of a run"
              min={2_000}
              max={2_000_000}
              step={10_000}
              thousandSeparator=","
              {...form.getInputProps("budget.tokens")}
            />
          </Group>
          <Text size="xs" c="dimmed" mb="md">
            Answers of the model and calls of its tools; tokens that it reads and writes. A run that needs
            more fails.
          </Text>
          <Checkbox
            label="It may also write its own SQL"
            description="Only to read, on the databases of the charts above, with the limits of those databases. Names of tables and columns are sent to the model's server too. The chat shows each statement with its rows; a number is then as right as the SQL that the model wrote."
            mb="md"
            {...form.getInputProps("allowsSql", { type: "checkbox" })}
          />
        </>
      )}
    </>
  );
}
