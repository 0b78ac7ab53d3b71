import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { LoadingFrame } from "../../app/frames.tsx";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { formatNumber } from "../../components/pluralize.ts";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { ModelForm, type SavedModel } from "./model-form.tsx";

/** Which language model the organization's automations use. */
export function ModelPage() {
  const { data: model, error, refetch } = useQuery(trpc.models.get.queryOptions());
  if (error && !model) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!model) return <LoadingFrame />;
  return (
    <>
      <PageHeader
        title="Model"
        description="A language model can do the work of an automation: it reads the automation's results and writes the summary. Every number that it writes is checked against the data."
      />
      <ModelState model={model} />
      <Section
        title={model.source ? "Change the model" : "Set up a model"}
        description="Any server with the OpenAI-compatible protocol: a provider's, or one of your own."
      >
        {/* After saving, the form starts again from the saved values. */}
        <ModelForm key={`${model.source} ${model.url} ${model.consentedAt}`} saved={model} />
      </Section>
    </>
  );
}

function ModelState({ model }: { model: SavedModel }) {
  const [isRemoving, setIsRemoving] = useState(false);
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
        <Button variant="default" onClick={() => setIsRemoving(true)}>
          Remove the model
        </Button>
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
