import { Button, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ActionForm } from "../../ui/action-form.tsx";
import { ShownOnce } from "../../ui/copyable.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag, type Tone } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { Endpoint } from "./delivery-labels.ts";

type Secret = Endpoint["secrets"][number];
type Revealed = Outputs["webhookEndpoints"]["rotateSecret"];

const refresh = () => queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter());

/** The secrets of an endpoint. One of them signs at a time. */
export function Secrets({ endpoint }: { endpoint: Endpoint }) {
  const { id, secrets } = endpoint;
  const [isRotating, setIsRotating] = useState(false);
  const [revealed, setRevealed] = useState<Revealed>();
  const switchNow = useMutation(trpc.webhookEndpoints.switchSecret.mutationOptions({ onSuccess: refresh }));
  const isUnderWay = secrets.some(({ state }) => state === "next");
  return (
    <Section
      title="Signing secret"
      description="Your receiver verifies each delivery with it. Rotate it with an overlap: the old one signs until your receiver knows the new one."
      actions={
        <>
          {isUnderWay && (
            <Button variant="default" size="sm" onClick={() => switchNow.mutate({ id })}>
              Switch to the new one now
            </Button>
          )}
          <Button variant="default" size="sm" onClick={() => setIsRotating(true)}>
            Rotate
          </Button>
        </>
      }
    >
      {switchNow.error && <ErrorNotice error={switchNow.error} />}
      {revealed && (
        <ShownOnce
          title="Copy the new secret now: it is not shown again"
          value={revealed.secret}
          what="the secret"
        >
          Let your receiver accept both secrets. This one signs from <Timestamp at={revealed.signsFrom} /> on.
        </ShownOnce>
      )}
      <ItemList label="Secrets">
        {secrets.map((secret) => (
          <SecretItem key={secret.id} secret={secret} />
        ))}
      </ItemList>
      <Modal opened={isRotating} onClose={() => setIsRotating(false)} title="Rotate the secret">
        <RotateForm
          id={id}
          onRotated={(secret) => {
            setRevealed(secret);
            setIsRotating(false);
          }}
        />
      </Modal>
    </Section>
  );
}

const states: Record<Secret["state"], { label: string; tone: Tone }> = {
  signing: { label: "Signs now", tone: "good" },
  next: { label: "Signs next", tone: "info" },
  expired: { label: "Expired", tone: "quiet" },
};

const SecretItem = ({ secret: { state, createdAt, signsFrom, expiresAt } }: { secret: Secret }) => (
  <Item
    title={
      <>
        Secret of <Timestamp at={createdAt} format="seconds" />{" "}
        <Tag tone={states[state].tone}>{states[state].label}</Tag>
      </>
    }
  >
    {state !== "expired" && (
      <span>
        {state === "next" ? "Signs from" : "Signs since"} <Timestamp at={signsFrom} />
      </span>
    )}
    {expiresAt && (
      <span>
        {state === "expired" ? "Expired" : "Signs until"} <Timestamp at={expiresAt} />
      </span>
    )}
  </Item>
);

function RotateForm({ id, onRotated }: { id: string; onRotated: (secret: Revealed) => void }) {
  const form = useForm<{ overlapHours: number }>({ initialValues: { overlapHours: 24 } });
  return (
    <ActionForm
      form={form}
      submit={{ label: "Rotate the secret", busy: "Rotating it…" }}
      onSubmit={async ({ overlapHours }) => {
        onRotated(await api.webhookEndpoints.rotateSecret.mutate({ id, overlapHours }));
        await refresh();
      }}
    >
      <Stack mb="md">
        <NumberInput
          label="Overlap (hours)"
          description="How long the current secret still signs. Use 0 if it has leaked: the new secret then signs at once, and your receiver refuses deliveries until it has the new one."
          min={0}
          max={168}
          data-autofocus
          {...form.getInputProps("overlapHours")}
        />
        <Text size="sm" c="dimmed">
          The new secret is then shown once.
        </Text>
      </Stack>
    </ActionForm>
  );
}
