import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { EngineKind } from "../../sql/sql-language.ts";
import { QueryReferences } from "./query-references.tsx";
import { QueryResult } from "./query-result.tsx";
import { queryTabs } from "./routes.tsx";
import { RunHistory } from "./run-history.tsx";
import type { Query } from "./use-saving.ts";
import { VersionHistory } from "./version-history.tsx";

const tabLabels = { result: "Result", runs: "Runs", versions: "Versions", references: "Charts and links" };

interface QueryTabsProps {
  query: Query;
  sql: string;
  engine: EngineKind;
  watchedRunId: string | undefined;
  isUnsaved: boolean;
  onBringBack: (version: { sql: string; analyticalDatabaseConfigId: string; version: number }) => void;
}

/** What became of a query: its result, its runs, its versions, and what is shared of it. */
export function QueryTabs({ query, sql, engine, watchedRunId, isUnsaved, onBringBack }: QueryTabsProps) {
  const { tab = "result" } = useSearch({ from: "/app/queries/$queryId" });
  const navigate = useNavigate({ from: "/queries/$queryId" });
  const choose = (value: string | null) => {
    const chosen = queryTabs.find((one) => one === value);
    void navigate({ search: chosen && chosen !== "result" ? { tab: chosen } : {}, replace: true });
  };
  return (
    <Tabs value={tab} onChange={choose} keepMounted={false}>
      <Tabs.List mb="sm">
        {queryTabs.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {tabLabels[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="result">
        <QueryResult queryId={query.id} runId={watchedRunId} isUnsaved={isUnsaved} />
      </Tabs.Panel>
      <Tabs.Panel value="runs">
        <RunHistory queryId={query.id} version={query.version} />
      </Tabs.Panel>
      <Tabs.Panel value="versions">
        <VersionHistory queryId={query.id} sql={sql} engine={engine} onBringBack={onBringBack} />
      </Tabs.Panel>
      <Tabs.Panel value="references">
        <QueryReferences query={query} />
      </Tabs.Panel>
    </Tabs>
  );
}
