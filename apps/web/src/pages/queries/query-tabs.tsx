import { Skeleton, Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import type { EngineKind } from "../../engines/engine.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import classes from "./query-page.module.css";
import { QueryReferences } from "./query-references.tsx";
import { QueryResult, type ShownResult } from "./query-result.tsx";
import { queryTabs } from "./routes.tsx";
import { RunHistory } from "./run-history.tsx";
import type { Statement } from "./statement.ts";
import type { Parameters } from "./use-parameters.ts";
import type { Query } from "./use-saving.ts";

// The comparison of statements is loaded on first use.
const VersionHistory = lazyPart(async () => (await import("./version-history.tsx")).VersionHistory);

const tabLabels = { result: "Result", runs: "Runs", versions: "Versions", references: "Charts" };

interface QueryTabsProps {
  query: Query;
  statement: Statement;
  engine: EngineKind;
  shown: ShownResult;
  parameters: Parameters;
  onRun: () => void;
  onBringBack: (version: { sql: string; analyticalDatabaseConfigId: string; version: number }) => void;
}

/** The tabs of a query: result, runs, versions and charts. */
export function QueryTabs(props: QueryTabsProps) {
  const { query, statement, engine, shown, parameters, onRun, onBringBack } = props;
  const { tab = "result" } = useSearch({ from: "/app/queries/$queryId" });
  const navigate = useNavigate({ from: "/queries/$queryId" });
  const choose = (value: string | null) => {
    const chosen = queryTabs.find((one) => one === value);
    void navigate({
      search: ({ tab: _, ...values }) => ({
        ...values,
        ...(chosen && chosen !== "result" && { tab: chosen }),
      }),
      replace: true,
    });
  };
  return (
    <Tabs value={tab} onChange={choose} keepMounted={false}>
      <Tabs.List mb="sm" className={classes.tabs ?? ""}>
        {queryTabs.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {tabLabels[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="result">
        <QueryResult
          queryId={query.id}
          shown={shown}
          statement={statement}
          parameters={parameters}
          onRun={onRun}
        />
      </Tabs.Panel>
      <Tabs.Panel value="runs">
        <RunHistory queryId={query.id} version={query.version} />
      </Tabs.Panel>
      <Tabs.Panel value="versions">
        <Suspense fallback={<Skeleton height={200} />}>
          <VersionHistory
            queryId={query.id}
            statement={statement}
            engine={engine}
            onBringBack={onBringBack}
          />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="references">
        <QueryReferences query={query} values={parameters.valuesInAddress} />
      </Tabs.Panel>
    </Tabs>
  );
}
