import { Badge, Button, Group, Skeleton, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import type { EngineKind } from "../../engines/engine.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { useMemberName } from "../../session/me.ts";
import { CompareSql } from "../../sql/compare-sql.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./query-page.module.css";
import type { Statement } from "./statement.ts";
import { useDebouncedStatement } from "./use-statement.ts";

const asItIs = (sql: string) => sql;

interface VersionHistoryProps {
  queryId: string;
  /** The statement in the editor, to compare with. */
  statement: Statement;
  engine: EngineKind;
  onBringBack: (version: { sql: string; analyticalDatabaseConfigId: string; version: number }) => void;
}

/** The earlier statements of the query. Each can be compared with the editor's and restored. */
export function VersionHistory({ queryId, statement, engine, onBringBack }: VersionHistoryProps) {
  const versions = useQuery(trpc.queries.versions.queryOptions({ id: queryId }));
  const nameOf = useMemberName();
  const [chosen, setChosen] = useState<number>();
  const newest = versions.data?.[0]?.version;
  const shown = chosen ?? (newest !== undefined && newest > 1 ? newest - 1 : newest);
  if (versions.error) return <ErrorNotice error={versions.error} onRetry={() => void versions.refetch()} />;
  if (!versions.data) return <Skeleton height={200} />;
  return (
    <div className={classes.versions}>
      <Stack gap={2} component="ol" className={classes.versionList ?? ""}>
        {versions.data.map(({ version, createdBy, createdAt }) => (
          <li key={version}>
            <UnstyledButton
              className={classes.version ?? ""}
              aria-current={version === shown}
              onClick={() => setChosen(version)}
            >
              <Group gap={6}>
                <Text size="sm" fw={600}>
                  Version {version}
                </Text>
                {version === newest && (
                  <Badge size="xs" variant="default">
                    Current
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed">
                {nameOf(createdBy)}, <Timestamp at={createdAt} format="relative" />
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </Stack>
      {shown !== undefined && (
        <Version
          queryId={queryId}
          version={shown}
          statement={statement}
          engine={engine}
          onBringBack={onBringBack}
        />
      )}
    </div>
  );
}

function Version(props: VersionHistoryProps & { version: number }) {
  const { queryId, version, statement, engine, onBringBack } = props;
  const sql = useDebouncedStatement(statement, asItIs);
  const { data, error, refetch } = useQuery(
    trpc.queries.version.queryOptions({ id: queryId, version }, { staleTime: Number.POSITIVE_INFINITY }),
  );
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={200} />;
  if (data.sql === sql) {
    return (
      <Text size="sm" c="dimmed">
        This is what the editor holds. Once the SQL is changed and saved, the versions before it are kept
        here.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Group>
        <Button size="xs" variant="default" onClick={() => onBringBack(data)}>
          Bring version {version} back
        </Button>
      </Group>
      <CompareSql
        before={{ label: `Version ${version}`, sql: data.sql }}
        after={{ label: "In the editor", sql }}
        engine={engine}
      />
    </Stack>
  );
}
