import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { pluralize } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import type { Endpoint } from "./delivery-labels.ts";

/** Reads endpoints and destinations again. */
export async function refreshEndpoints(): Promise<void> {
  await queryClient.invalidateQueries(trpc.webhookEndpoints.pathFilter());
  await queryClient.invalidateQueries(trpc.destinations.pathFilter());
}

interface EndpointActionsProps {
  endpoint: Pick<Endpoint, "id" | "state" | "pending" | "held">;
  what: "endpoint" | "destination";
  name: string;
  onDeleted: () => Promise<void>;
}

/** Buttons to disable and delete an endpoint or a destination. */
export function EndpointActions({ endpoint, what, name, onDeleted }: EndpointActionsProps) {
  const { id, pending, held } = endpoint;
  const [asked, setAsked] = useState<"disable" | "delete">();
  return (
    <>
      {endpoint.state === "enabled" && (
        <Button variant="default" size="sm" onClick={() => setAsked("disable")}>
          Disable
        </Button>
      )}
      <Button variant="default" size="sm" onClick={() => setAsked("delete")}>
        Delete
      </Button>
      <ConfirmModal
        opened={asked === "disable"}
        onClose={() => setAsked(undefined)}
        title={`Disable this ${what}?`}
        action={`Disable the ${what}`}
        onConfirm={async () => {
          await api.webhookEndpoints.disable.mutate({ id });
          await refreshEndpoints();
        }}
      >
        Nothing is sent to {name} until somebody enables it again. Nothing is lost for 30 days: what happens
        meanwhile is held
        {pending > 0 && `, with the ${pluralize(pending, "delivery", "deliveries")} pending now`}.
      </ConfirmModal>
      <ConfirmModal
        opened={asked === "delete"}
        onClose={() => setAsked(undefined)}
        title={`Delete this ${what}?`}
        action={`Delete the ${what}`}
        onConfirm={async () => {
          await api.webhookEndpoints.delete.mutate({ id });
          notifications.show({ message: `${name} is deleted.` });
          await onDeleted();
          await refreshEndpoints();
        }}
      >
        <Text mb="xs">
          {pending + held === 0
            ? "No delivery is waiting."
            : `${pluralize(pending + held, "delivery", "deliveries")} that ${pending + held === 1 ? "waits" : "wait"} for it ${pending + held === 1 ? "is" : "are"} cancelled.`}{" "}
          {what === "endpoint"
            ? "Its secrets are deleted."
            : "Automations that chose it no longer send there."}{" "}
          Its past deliveries stay in the log.
        </Text>
        <Text>This cannot be undone.</Text>
      </ConfirmModal>
    </>
  );
}
