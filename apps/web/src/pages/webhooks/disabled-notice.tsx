import { Alert, Button, Modal, NumberInput, Radio, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlayerPause } from "@tabler/icons-react";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { pluralize } from "../../format/pluralize.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { Endpoint } from "./delivery-labels.ts";
import { refreshEndpoints } from "./endpoint-actions.tsx";

interface DisabledNoticeProps {
  endpoint: Pick<Endpoint, "id" | "disabledReason" | "disabledAt" | "held">;
  what?: "endpoint" | "destination";
}

/** Why an endpoint is disabled, how many deliveries are held, and a button to enable it. */
export function DisabledNotice({ endpoint, what = "endpoint" }: DisabledNoticeProps) {
  const { disabledReason, disabledAt, held } = endpoint;
  const [isEnabling, setIsEnabling] = useState(false);
  return (
    <Alert color="red" variant="light" icon={<IconPlayerPause />} title={`This ${what} is disabled`} mb="lg">
      {disabledReason === "failures"
        ? "Five events in a row used up all their attempts, so Querybell stopped sending"
        : "An admin disabled it"}
      {disabledAt && (
        <>
          {" "}
          <Timestamp at={disabledAt} format="relative" />
        </>
      )}
      .{" "}
      {held === 0
        ? "Nothing is held for it."
        : `${pluralize(held, "delivery", "deliveries")} ${held === 1 ? "is" : "are"} held for it, for 30 days.`}{" "}
      {disabledReason === "failures" && "Mend what the last failure below says, then enable it."}
      <Button mt="sm" display="block" onClick={() => setIsEnabling(true)}>
        Enable it
      </Button>
      <EnableModal endpoint={endpoint} what={what} opened={isEnabling} onClose={() => setIsEnabling(false)} />
    </Alert>
  );
}

interface EnableModalProps extends Required<DisabledNoticeProps> {
  opened: boolean;
  onClose: () => void;
}

function EnableModal({ endpoint: { id, held }, what, opened, onClose }: EnableModalProps) {
  const form = useForm<{ held: "deliver" | "drop"; perSecond: number }>({
    initialValues: { held: "deliver", perSecond: 10 },
  });
  const isDropping = form.values.held === "drop" && held > 0;
  const deliveries = pluralize(held, "delivery", "deliveries");
  return (
    <Modal opened={opened} onClose={onClose} title={`Enable the ${what}`}>
      <ActionForm
        form={form}
        submit={{
          label: isDropping ? `Enable it and drop ${deliveries}` : `Enable the ${what}`,
          busy: "Enabling it…",
        }}
        onSubmit={async ({ held: choice, perSecond }) => {
          await api.webhookEndpoints.enable.mutate(
            choice === "deliver" ? { id, held: choice, perSecond } : { id, held: choice },
          );
          await refreshEndpoints();
          await queryClient.invalidateQueries(trpc.webhookRecoveries.pathFilter());
          onClose();
        }}
      >
        {held === 0 ? (
          <Text mb="md">Nothing is held for it. New events are sent to it from now on.</Text>
        ) : (
          <Stack mb="md">
            <Radio.Group label={`What happens to the ${deliveries} held?`} {...form.getInputProps("held")}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="deliver"
                  label="Deliver them"
                  description="Oldest first, at the pace below, beside new events"
                />
                <Radio
                  value="drop"
                  label="Drop them"
                  description="They are never sent. This cannot be undone."
                />
              </Stack>
            </Radio.Group>
            {form.values.held === "deliver" && (
              <NumberInput
                label="Deliveries per second"
                min={1}
                max={1000}
                allowDecimal={false}
                {...form.getInputProps("perSecond")}
              />
            )}
          </Stack>
        )}
      </ActionForm>
    </Modal>
  );
}
