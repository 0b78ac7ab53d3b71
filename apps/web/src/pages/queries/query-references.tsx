import { Button, Group, Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { IconChartLine } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice, showFailure } from "../../errors/error-notice.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { createChart } from "../references/create-chart.ts";
import { ChartUses, QueryUses } from "./lineage.tsx";
import type { Query } from "./use-saving.ts";

const SmallChart = lazyPart(async () => (await import("../../charts/small-chart.tsx")).SmallChart);

/** The charts of a query, each with its own link. */
export function QueryReferences({ query }: { query: Query }) {
  const references = useQuery(trpc.queries.references.queryOptions({ id: query.id }));
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);

  const create = async () => {
    setCreating(true);
    try {
      await navigate({ to: "/q/$shortId/edit", params: { shortId: await createChart(query) } });
    } catch (error) {
      setCreating(false);
      showFailure("Not created", error);
    }
  };
  const button = (
    <Button leftSection={<IconChartLine size={16} />} loading={isCreating} onClick={() => void create()}>
      New chart
    </Button>
  );
  if (references.error)
    return <ErrorNotice error={references.error} onRetry={() => void references.refetch()} />;
  if (!references.data) return <Skeleton height={200} />;
  if (references.data.length === 0) {
    return (
      <>
        <QueryUses queryId={query.id} />
        <EmptyState
          title="No charts yet"
          description="A chart shows this query's result under a short link that every member of your organization can open."
        >
          {button}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <QueryUses queryId={query.id} />
      <Group mb="md">{button}</Group>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
        {references.data.map(({ shortId, title, description }) => (
          <Paper key={shortId} withBorder p="md">
            <AnchorTo to="/q/$shortId" params={{ shortId }} fw={600}>
              {title}
            </AnchorTo>
            <Text size="sm" c="dimmed" lineClamp={1} mb="xs">
              {description ?? `/q/${shortId}`}
            </Text>
            <Suspense fallback={<Skeleton height={140} />}>
              <SmallChart shortId={shortId} height={140} />
            </Suspense>
            <ChartUses queryId={query.id} shortId={shortId} />
          </Paper>
        ))}
      </SimpleGrid>
    </>
  );
}
