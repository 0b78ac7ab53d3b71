import { Group, NativeSelect, NumberInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { api, queryClient, trpc } from "../../api.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { Section } from "../../ui/section.tsx";
import { durationOf, secondsOf, units } from "./duration.ts";

/** How long a cached result is served before a query has to run again. */
export function ResultLifetime({ seconds }: { seconds: number }) {
  const form = useForm({
    initialValues: durationOf(seconds),
    validate: { amount: (amount) => (Number(amount) > 0 ? null : "Enter a number above 0.") },
  });
  return (
    <Section
      title="Lifetime of results"
      description="How long a permalink shows the cached result of a run. After that it must be refreshed. From one minute to one year."
    >
      <ActionForm
        form={form}
        submit={{ label: "Save the lifetime", busy: "Saving it…" }}
        onSubmit={async (duration) => {
          const resultLifetimeSeconds = secondsOf(duration);
          const saved = await api.settings.update.mutate({ resultLifetimeSeconds });
          queryClient.setQueryData(trpc.settings.get.queryKey(), saved);
          notifications.show({ message: "Saved. It applies to new results." });
        }}
      >
        <Group mb="md" align="flex-start">
          <NumberInput label="Lifetime" min={1} w="8rem" {...form.getInputProps("amount")} />
          <NativeSelect label="Unit" data={units} {...form.getInputProps("unit")} />
        </Group>
      </ActionForm>
    </Section>
  );
}
