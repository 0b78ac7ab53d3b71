import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { type Attempt, type DeliveryDetail, milliseconds } from "./delivery-labels.ts";
import classes from "./send-test.module.css";

/** Sends a test event, with one attempt, and shows its outcome. */
export function SendTest({
  endpointId,
  label = "Send a test event",
}: {
  endpointId: string;
  label?: string;
}) {
  const send = useMutation(trpc.webhookEndpoints.sendTest.mutationOptions());
  return (
    <div>
      {send.error && <ErrorNotice error={send.error} />}
      <Group>
        <Button
          variant="default"
          aria-disabled={send.isPending}
          onClick={() => {
            if (!send.isPending) send.mutate({ id: endpointId });
          }}
        >
          {label}
        </Button>
        <div role="status">{send.data && <Outcome key={send.data.id} deliveryId={send.data.id} />}</div>
      </Group>
    </div>
  );
}

function Outcome({ deliveryId }: { deliveryId: string }) {
  const { data: delivery, error } = useQuery(
    trpc.webhookDeliveries.get.queryOptions(
      { id: deliveryId },
      { refetchInterval: ({ state }) => (isDone(state.data) ? false : 500) },
    ),
  );
  if (error) return <ErrorNotice error={error} />;
  const [attempt] = delivery?.attempts ?? [];
  if (!attempt) return <Text size="sm">On its way…</Text>;
  const isGood = delivery?.state === "succeeded";
  return (
    <Text size="sm">
      <span className={isGood ? classes.good : classes.bad}>
        {isGood ? "It arrived." : describeFailure(attempt)} {attempt.sentence} (
        {milliseconds(attempt.timings.total)})
      </span>{" "}
      <AnchorTo to="/settings/webhooks/deliveries/$deliveryId" params={{ deliveryId }}>
        Request and response
      </AnchorTo>
    </Text>
  );
}

/** Without a response it is often unknown whether the receiver got the event. */
const describeFailure = ({ response }: Attempt): string =>
  response ? "It arrived, but was not accepted." : "The test failed.";

const isDone = (delivery: DeliveryDetail | undefined): boolean =>
  delivery !== undefined && delivery.state !== "pending";
