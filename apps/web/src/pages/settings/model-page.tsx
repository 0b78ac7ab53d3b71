import { Button, Group, Modal, NumberInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber } from "../../format/pluralize.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ActionForm } from "../../ui/action-form.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { ModelForm, type SavedModel } from "./model-form.tsx";
import { SettingSwitch } from "./setting-switch.tsx";

/** Which language model the organization's automations use. */
export function ModelPage() {
  const { data: model, error, refetch } = useQuery(trpc.models.get.queryOptions());
  if (error && !model) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!model) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title="Model"
        description="A language model can do the work of an automation: it reads the automation's results and writes the summary. It chooses what to say; Querybell computes and words every statement from the data. It also helps members with their SQL."
      />
      <ModelState model={model} />
      <Section
        title={model.source ? "Change the model" : "Set up a model"}
        description="Any server with the OpenAI-compatible protocol: a provider's, or one of your own."
      >
        {/* After saving, the form starts again from the saved values. */}
        <ModelForm key={`${model.source} ${model.url} ${model.consentedAt}`} saved={model} />
      </Section>
      {model.source && (
        <SettingSwitch
          title="Help with SQL"
          description="Members ask the model to write, explain, correct or speed up a statement. It sees the statement, the tables and their descriptions. Its tokens count against the same budget."
          label="It also sees rows"
          hint="The first five rows of up to three tables that are named. They may hold personal data."
          isOn={({ helpSeesRows }) => helpSeesRows}
          toChange={(helpSeesRows) => ({ helpSeesRows })}
          messages={{ on: "Help with SQL sends rows now.", off: "Help with SQL sends no rows now." }}
        />
      )}
    </>
  );
}

/** Asks for the right number of used tokens. */
function UsageModal({ model, opened, onClose }: { model: SavedModel; opened: boolean; onClose: () => void }) {
  const form = useForm<{ tokens: number | string }>({
    initialValues: { tokens: model.usedTokens },
    validate: { tokens: (tokens) => (tokens === "" ? "Enter a number, or 0 for none." : null) },
  });
  const correct = async ({ tokens }: { tokens: number | string }) => {
    const month = new Date().toISOString().slice(0, 7);
    await api.models.correctUsage.mutate({ month, tokens: Number(tokens) });
    await queryClient.invalidateQueries(trpc.models.pathFilter());
    notifications.show({ message: "The used tokens are corrected." });
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Correct the used tokens" centered>
      <ActionForm form={form} onSubmit={correct} submit={{ label: "Correct", busy: "Correcting…" }}>
        <NumberInput
          label="Tokens used this month"
          description="Where the model's server has counted wrongly. The audit log keeps the change."
          min={0}
          max={1_000_000_000}
          thousandSeparator=","
          mb="md"
          {...form.getInputProps("tokens")}
        />
      </ActionForm>
    </Modal>
  );
}

function ModelState({ model }: { model: SavedModel }) {
  const [isRemoving, setIsRemoving] = useState(false);
  const [isCorrecting, setIsCorrecting] = useState(false);
  const remove = async () => {
    await api.models.remove.mutate();
    await queryClient.invalidateQueries(trpc.models.pathFilter());
    notifications.show({ message: "The model is removed." });
  };
  if (!model.source) return null;
  return (
    <Section
      title={model.isReady ? "In use" : "Not in use"}
      actions={
        <Group gap="xs">
          <Button variant="default" onClick={() => setIsCorrecting(true)}>
            Correct the used tokens
          </Button>
          <Button variant="default" onClick={() => setIsRemoving(true)}>
            Remove the model
          </Button>
        </Group>
      }
    >
      {model.missing !== null && <Text c="var(--qb-bad)">{model.missing}</Text>}
      <Text>
        {model.name} at {model.url}
        {model.source === "operator" && ", set up by the operator of this deployment"}
      </Text>
      <Text size="sm" c="dimmed">
        {formatNumber(model.usedTokens)} of {formatNumber(model.monthlyTokens)} tokens used this month.{" "}
        {model.consentedAt && (
          <>
            An admin consented <Timestamp at={model.consentedAt} />.
          </>
        )}
      </Text>
      {isCorrecting && <UsageModal model={model} opened onClose={() => setIsCorrecting(false)} />}
      <ConfirmModal
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        title="Remove the model?"
        action="Remove the model"
        onConfirm={remove}
      >
        Its key and the consent are deleted. Runs of automations with the agent Model fail until another model
        is set up.
      </ConfirmModal>
    </Section>
  );
}
