import { Code, Group, Stack, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { trpc } from "../../api.ts";
import { CopyButton } from "../../ui/copyable.tsx";
import { AnchorTo } from "../../ui/links.tsx";

type Lineage = Outputs["queries"]["lineage"];

/** Read anew by each page: making a chart and saving any query can change it. */
const useLineage = (id: string) => useQuery(trpc.queries.lineage.queryOptions({ id }, { staleTime: 0 }));

/** The charts whose results a query reads. */
export function QueryUses({ queryId }: { queryId: string }) {
  const { data } = useLineage(queryId);
  if (!data || data.uses.length === 0) return null;
  return (
    <Text size="sm" mb="sm">
      Uses{" "}
      {separated(
        data.uses.map(({ shortId, title }) => (
          <AnchorTo key={shortId} to="/q/$shortId" params={{ shortId }}>
            {title}
          </AnchorTo>
        )),
      )}
      . A result of the last 15 minutes is read as it is, an older one is refreshed first.
    </Text>
  );
}

/** The name of a chart's result in queries, and the queries that read it. */
export function ChartUses({ queryId, shortId }: { queryId: string; shortId: string }) {
  const { data } = useLineage(queryId);
  const chart = data?.charts.find((one) => one.shortId === shortId);
  if (!chart) return null;
  return (
    <Stack gap={4} mt="md">
      <Group gap={4}>
        <Text size="sm" c="dimmed">
          In queries on your data: <Code>{chart.table}</Code>
        </Text>
        <CopyButton value={chart.table} what="the name of the table" />
      </Group>
      <UsedBy queries={chart.usedBy} />
    </Stack>
  );
}

function UsedBy({ queries }: { queries: Lineage["charts"][number]["usedBy"] }) {
  if (queries.length === 0) return null;
  return (
    <Text size="sm">
      Used by{" "}
      {separated(
        queries.map(({ id, name }) => (
          <AnchorTo key={id} to="/queries/$queryId" params={{ queryId: id }}>
            {name}
          </AnchorTo>
        )),
      )}
    </Text>
  );
}

const separated = (items: ReactNode[]): ReactNode[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [", ", item]));
