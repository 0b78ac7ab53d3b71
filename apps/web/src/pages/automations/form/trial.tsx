import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { toFailure } from "../../../errors/failure.ts";
import type { AutomationRun } from "../../../runs/run-state.tsx";
import { showAtFields } from "../../../ui/action-form.tsx";
import { ChatContent, ChatState, StopButton } from "../../chats/chat-content.tsx";
import { ShownRowsProvider } from "../../chats/shown-rows.tsx";
import { useLiveChat } from "../../chats/use-live-chat.ts";
import { type AutomationValues, trialOf } from "./form-values.ts";

interface TrialProps {
  form: UseFormReturnType<AutomationValues>;
  /** The automation that is being changed. */
  automationId: string | undefined;
}

/** Runs the automation with the form's current values, without saving it, and shows the outcome. */
export function Trial({ form, automationId }: TrialProps) {
  const start = useMutation({
    mutationFn: async (values: AutomationValues) =>
      api.automations.try.mutate({
        ...(await trialOf(values)),
        ...(automationId !== undefined && { id: automationId }),
      }),
    onError: (error) => showAtFields(form, toFailure(error).fields),
  });
  const isExternal = form.values.agent === "external";
  const tryNow = () => {
    if (start.isPending || form.validate().hasErrors) return;
    start.mutate(form.values);
  };
  return (
    <Paper component="section" aria-labelledby="trial" withBorder p="lg">
      <Title order={2} size="h5" id="trial" mb={4}>
        Trial
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {isExternal
          ? "An external agent cannot be tried: it claims the runs of saved automations only."
          : "Runs what the form says now, and shows the summary that would come. Nobody is told, and nothing is saved; queries and tokens count as in any run."}
      </Text>
      {!isExternal && (
        <Button variant="default" onClick={tryNow} aria-disabled={start.isPending}>
          {start.isPending ? "Starting…" : "Try now"}
        </Button>
      )}
      {start.error && <ErrorNotice error={start.error} />}
      {start.data && !start.isPending && <LiveTrial key={start.data.id} found={start.data} />}
    </Paper>
  );
}

function LiveTrial({ found }: { found: AutomationRun }) {
  const chat = useLiveChat(found);
  return (
    <ShownRowsProvider>
      <Stack gap="lg" mt="lg">
        <Group justify="space-between">
          <ChatState run={chat.run} />
          <StopButton chat={chat} />
        </Group>
        <ChatContent chat={chat} order={3} />
      </Stack>
    </ShownRowsProvider>
  );
}
