import { Button, Group, Modal, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import type { EngineKind } from "../../engines/engine.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { CompareSql } from "../../sql/compare-sql.tsx";

interface ConflictDialogProps {
  queryId: string;
  /** The statement that could not be saved. */
  sql: string;
  engine: EngineKind;
  onClose: () => void;
  /** Saves a statement, replacing `version`. */
  onSave: (sql: string, version: number) => void;
  onDiscard: () => void;
}

/** Shown when another user has saved a newer version: compares both statements and lets the user choose. */
export function ConflictDialog({ queryId, sql, engine, onClose, onSave, onDiscard }: ConflictDialogProps) {
  const theirs = useQuery(trpc.queries.get.queryOptions({ id: queryId }, { staleTime: 0, gcTime: 0 }));
  const versions = useQuery(trpc.queries.versions.queryOptions({ id: queryId }, { staleTime: 0 }));
  const members = useQuery(trpc.members.list.queryOptions());
  const [merged, setMerged] = useState(sql);
  const author = versions.data?.[0]?.createdBy;
  const name = members.data?.find(({ userId }) => userId === author)?.name ?? "Somebody else";
  const { data } = theirs;
  return (
    <Modal opened onClose={onClose} title="The query was changed meanwhile" size="90rem">
      <Text mb="md">
        {name} saved another version while you were editing. Take over at the right what you want to keep, or
        discard yours. The other version stays in the history.
      </Text>
      {theirs.error && <ErrorNotice error={theirs.error} onRetry={() => void theirs.refetch()} />}
      {!data && !theirs.error && <Skeleton height={240} />}
      {data && (
        <CompareSql
          before={{ label: `Version ${data.version}, by ${name}`, sql: data.sql }}
          after={{ label: "Yours, to be edited here", sql }}
          engine={engine}
          onChange={setMerged}
        />
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="subtle" onClick={onDiscard}>
          Discard mine
        </Button>
        <Button variant="default" onClick={onClose}>
          Go on editing
        </Button>
        <Button disabled={!data} onClick={() => data && onSave(merged, data.version)}>
          Save mine as version {data ? data.version + 1 : "…"}
        </Button>
      </Group>
    </Modal>
  );
}
