import { Button, Group, Progress, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatBytes } from "../../format/bytes.ts";
import { LoadingFrame } from "../../frame/frames.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

type Export = NonNullable<Outputs["exports"]["find"]>;

const pollEveryMs = 1000;
const isUnfinished = (state: Export["state"] | undefined) => state === "pending" || state === "running";

export function ExportSection() {
  const { data, error, refetch } = useQuery(
    trpc.exports.find.queryOptions(undefined, {
      refetchInterval: (query) => (isUnfinished(query.state.data?.state) ? pollEveryMs : false),
    }),
  );
  const refresh = () => queryClient.invalidateQueries(trpc.exports.find.queryFilter());
  const create = useMutation(trpc.exports.create.mutationOptions({ onSuccess: refresh }));
  const remove = useMutation(trpc.exports.delete.mutationOptions({ onSuccess: refresh }));
  const [isDeleting, setIsDeleting] = useState(false);
  if (error && data === undefined) return <ErrorNotice error={error} onRetry={refetch} />;
  if (data === undefined) return <LoadingFrame />;
  return (
    <Section
      title="Everything in one file"
      description="Queries as .sql, charts, automations, folders and members as JSON, stored results as Parquet, uploaded tables as a DuckDB file. Without passwords, keys and secrets."
    >
      {create.error && <ErrorNotice error={create.error} />}
      {data && <ExportState made={data} />}
      <Group gap="xs" mt="md">
        {data?.state === "ready" && (
          <Button component="a" href={`/api/exports/${data.id}`} download>
            Download the file
          </Button>
        )}
        {!isUnfinished(data?.state) && (
          <Button
            variant="default"
            aria-disabled={create.isPending}
            onClick={() => !create.isPending && create.mutate()}
          >
            {data ? "Make a new file" : "Make the file"}
          </Button>
        )}
        {data && (
          <Button variant="default" onClick={() => setIsDeleting(true)}>
            {data.state === "ready" ? "Delete the file" : "Stop making it"}
          </Button>
        )}
      </Group>
      <ConfirmModal
        opened={isDeleting}
        onClose={() => setIsDeleting(false)}
        title="Delete this export?"
        action="Delete it"
        onConfirm={async () => data && remove.mutateAsync({ id: data.id })}
      >
        <Text>It cannot be downloaded from then on. You can make another one at any time.</Text>
      </ConfirmModal>
    </Section>
  );
}

function ExportState({ made: { state, itemsDone, itemsTotal, bytes, expiresAt } }: { made: Export }) {
  if (state === "failed") {
    return (
      <Text role="status">
        It could not be made, and is tried again. If that does not help, make a new one.
      </Text>
    );
  }
  if (state === "ready") {
    return (
      <Text role="status">
        Ready: {formatBytes(bytes ?? 0)}.{" "}
        {expiresAt !== null && (
          <>
            It is deleted <Timestamp at={expiresAt} />.
          </>
        )}
      </Text>
    );
  }
  return (
    <>
      <Text role="status" mb="xs">
        {itemsTotal === 0 ? "Waiting for its turn…" : `Writing: ${itemsDone} of ${itemsTotal} items…`}
      </Text>
      <Progress
        value={itemsTotal === 0 ? 2 : (100 * itemsDone) / itemsTotal}
        animated
        aria-label="Making the file"
      />
    </>
  );
}
