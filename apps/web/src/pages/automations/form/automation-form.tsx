import { Fieldset, Group, NativeSelect, NumberInput, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Inputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { api, queryClient, trpc } from "../../../api.ts";
import { toFormFailure } from "../../../errors/failure.ts";
import { ErrorFrame, LoadingFrame } from "../../../frame/frames.tsx";
import { useMe } from "../../../session/me.ts";
import { ActionForm } from "../../../ui/action-form.tsx";
import { LeaveDialog } from "../../../ui/confirm-modal.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { AgentField } from "./agent-field.tsx";
import { ConditionField } from "./condition-field.tsx";
import { toConditionField } from "./condition-values.ts";
import { DestinationsField, eventProblemOf } from "./destinations-field.tsx";
import { type AutomationValues, inputOf, newValues, valuesOf } from "./form-values.ts";
import { problemOfRecipients, toRecipientsField } from "./recipient-values.ts";
import { RecipientsField } from "./recipients-field.tsx";
import { ReferencesField } from "./references-field.tsx";
import { ScheduleField } from "./schedule-field.tsx";
import { hasTime } from "./schedule-presets.ts";
import { problemOf, SubscribersField } from "./subscribers-field.tsx";
import { Trial } from "./trial.tsx";

export function NewAutomationPage() {
  const { user } = useMe();
  return (
    <>
      <PageHeader
        title="New automation"
        description="Choose what it looks at, when, and who hears of it. You can run it at once to see what it says."
      />
      <AutomationForm
        initialValues={newValues(user.id)}
        submit={{ label: "Make the automation", busy: "Making it…" }}
        onSave={(input) => api.automations.create.mutate(input)}
      />
    </>
  );
}

const route = getRouteApi("/app/automations/$automationId/edit");

export function EditAutomationPage() {
  const { automationId: id } = route.useParams();
  const { data, error, refetch } = useQuery(trpc.automations.get.queryOptions({ id }));
  if (error && !data) return <ErrorFrame error={error} reset={refetch} />;
  if (!data) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title={`Edit ${data.name}`}
        description="Changes count for runs that are started after them."
      />
      <AutomationForm
        automationId={id}
        initialValues={valuesOf(data)}
        submit={{ label: "Save the changes", busy: "Saving…" }}
        onSave={(input) => api.automations.update.mutate({ id, ...input })}
      />
    </>
  );
}

interface AutomationFormProps {
  /** The automation that is changed. */
  automationId?: string;
  initialValues: AutomationValues;
  submit: { label: string; busy: string };
  onSave: (input: Inputs["automations"]["create"]) => Promise<{ id: string; name: string }>;
}

/** The form to create or edit an automation. */
function AutomationForm({ automationId, initialValues, submit, onSave }: AutomationFormProps) {
  const form = useForm<AutomationValues>({
    initialValues,
    validate: {
      name: (name) => (name.trim() === "" ? "Give it a name." : null),
      instruction: (instruction) => (instruction.trim() === "" ? "Say what it is for." : null),
      references: (references, { dashboard }) =>
        references.length === 0 && !dashboard ? "Choose at least one chart." : null,
      schedule: {
        time: (time, { schedule }) => (hasTime(schedule) && time === "" ? "Give a time." : null),
      },
      subscribers: (subscribers) => subscribers.map(problemOf).find(Boolean) ?? null,
      destinations: (destinations) => destinations.map(eventProblemOf).find(Boolean) ?? null,
      condition: {
        shortId: (shortId, { condition }) =>
          condition.speaks === "condition" && shortId === "" ? "Choose the chart that it is about." : null,
      },
      recipients: problemOfRecipients,
    },
  });
  const navigate = useNavigate();
  const isSaved = useRef(false);
  const save = async (values: AutomationValues) => {
    const { id, name } = await onSave(await inputOf(values)).catch((error: unknown) => {
      throw toFormFailure(error, (path) => toConditionField(toRecipientsField(path)));
    });
    isSaved.current = true;
    await queryClient.invalidateQueries(trpc.automations.pathFilter());
    void queryClient.invalidateQueries(trpc.library.pathFilter());
    notifications.show({ message: `${name} is saved.` });
    await navigate({ to: "/automations/$automationId", params: { automationId: id } });
  };
  return (
    <Stack maw="46rem">
      <ActionForm form={form} submit={submit} onSubmit={save}>
        <TextInput label="Name" mb="md" maxLength={200} {...form.getInputProps("name")} />
        <Textarea
          label="Instruction"
          description="What it is for, in words. Members read it in the chat; a model or an external agent follows it. The digest does not: it says what has changed, whatever the instruction."
          autosize
          minRows={2}
          maxRows={12}
          mb="lg"
          maxLength={10_000}
          {...form.getInputProps("instruction")}
        />
        <ReferencesField form={form} />
        <ScheduleField
          form={form}
          legend="When it runs"
          none={{
            label: "On demand only",
            description: "It runs when somebody starts it here, or a program does with an API key.",
          }}
        />
        <ConditionField form={form} />
        <SubscribersField form={form} />
        <DestinationsField form={form} />
        <RecipientsField form={form} />
        <Fieldset legend="How it runs" mb="lg">
          <AgentField form={form} />
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
              {...form.getInputProps("timeLimitMinutes")}
            />
          </Group>
        </Fieldset>
      </ActionForm>
      <Trial form={form} automationId={automationId} />
      <LeaveDialog hasUnsavedChanges={() => form.isDirty() && !isSaved.current}>
        The automation stays as it was saved last. What you have changed here is lost.
      </LeaveDialog>
    </Stack>
  );
}
