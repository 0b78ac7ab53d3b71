import { Button, Group, Skeleton, Text } from "@mantine/core";
import type { DraftParameters } from "@querybell/domain";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import type { EngineKind } from "../../engines/engine.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { CompareSql } from "../../sql/compare-sql.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { changedByBoth, mergeDraft } from "./definitions/merge-inputs.ts";
import type { Statement } from "./statement.ts";
import { parametersOptions } from "./use-parameters.ts";

interface Merged {
  sql: string;
  /** The version that is replaced. */
  version: number;
  /** One's own changes of the parameters, applied to those of the others; undefined if there are none. */
  parameters: DraftParameters | undefined;
}

interface ConflictDialogProps {
  queryId: string;
  /** What could not be saved. */
  statement: Statement;
  engine: EngineKind;
  onClose: () => void;
  onSave: (merged: Merged) => void;
  onDiscard: () => void;
}

/** Shown when another user has saved meanwhile: compares both and lets the user choose. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { queryId, statement, engine, onClose, onSave, onDiscard } = props;
  const [{ sql, version, mine }] = useState({
    sql: statement.sql,
    version: statement.version,
    mine: statement.parameters,
  });
  const theirs = useQuery(trpc.queries.get.queryOptions({ id: queryId }, { staleTime: 0, gcTime: 0 }));
  const versions = useQuery(trpc.queries.versions.queryOptions({ id: queryId }, { staleTime: 0 }));
  const members = useQuery(trpc.members.list.queryOptions());
  const names = mine?.definitions.map(({ name }) => name) ?? [];
  const defined = useQuery({
    ...parametersOptions(queryId, names),
    enabled: mine !== undefined,
    staleTime: 0,
    gcTime: 0,
  });
  const [merged, setMerged] = useState(sql);
  const author = versions.data?.[0]?.createdBy;
  const name = members.data?.find(({ userId }) => userId === author)?.name ?? "Somebody else";
  const { data } = theirs;
  const isTextChanged = data !== undefined && data.version !== version;
  const isReady = data !== undefined && (mine === undefined || defined.data !== undefined);
  const error = theirs.error ?? defined.error;
  const save = () => {
    if (!data || !isReady) return;
    const parameters = mine && defined.data && mergeDraft(mine, defined.data);
    onSave({ sql: merged, version: data.version, parameters });
  };
  return (
    <Dialog onClose={onClose} title="The query was changed meanwhile" size="90rem">
      {error && <ErrorNotice error={error} onRetry={() => void theirs.refetch()} />}
      {!isReady && !error && <Skeleton height={240} />}
      {isReady && isTextChanged && (
        <>
          <Text mb="md">
            {name} saved another version while you were editing. Take over at the right what you want to keep,
            or discard yours. The other version stays in the history.
          </Text>
          <CompareSql
            before={{ label: `Version ${data.version}, by ${name}`, sql: data.sql }}
            after={{ label: "Yours, to be edited here", sql }}
            engine={engine}
            onChange={setMerged}
          />
        </>
      )}
      {isReady && mine && defined.data && mine.base?.version !== defined.data.version && (
        <ParametersConflict twice={changedByBoth(mine, defined.data)} />
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="subtle" onClick={onDiscard}>
          Discard mine
        </Button>
        <Button variant="default" onClick={onClose}>
          Go on editing
        </Button>
        <Button disabled={!isReady} onClick={save}>
          {data && merged !== data.sql ? `Save mine as version ${data.version + 1}` : "Save mine"}
        </Button>
      </Group>
    </Dialog>
  );
}

/** What saving does to the parameters that somebody else has changed. */
const ParametersConflict = ({ twice }: { twice: readonly string[] }) => (
  <Text mt="md">
    Somebody else has changed the parameters while you were editing. Saving adds your changes to theirs
    {twice.length > 0 && `; yours replace theirs of ${twice.map((name) => `{{${name}}}`).join(", ")}`}.
  </Text>
);
