import { Code, List, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useRecordOpened } from "../home/use-record-opened.ts";
import { queryTitle } from "./query-title.ts";

/** A query for a viewer: its SQL, and the charts that show its result. */
export function ViewerQueryPage({ queryId }: { queryId: string }) {
  const query = useQuery(trpc.queries.get.queryOptions({ id: queryId }));
  const charts = useQuery(trpc.queries.references.queryOptions({ id: queryId }));
  useRecordOpened("query", query.data?.id);
  const error = query.error ?? charts.error;
  if (!query.data || !charts.data) {
    const refetch = () => void Promise.all([query.refetch(), charts.refetch()]);
    return error ? <LoadFailure error={error} onRetry={refetch} /> : <LoadingFrame />;
  }
  return (
    <>
      <PageHeader title={queryTitle(query.data)} description={query.data.description ?? undefined} />
      <Code block tabIndex={0}>
        {query.data.sql}
      </Code>
      <Title order={2} size="h4" mt="xl" mb="sm">
        Charts
      </Title>
      {charts.data.length === 0 && <Text>No chart shows its result yet. Members can make one.</Text>}
      <List>
        {charts.data.map(({ shortId, title }) => (
          <List.Item key={shortId}>
            <AnchorTo to="/q/$shortId" params={{ shortId }}>
              {title}
            </AnchorTo>
          </List.Item>
        ))}
      </List>
    </>
  );
}
