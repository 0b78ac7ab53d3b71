import { Button, Group, Modal, Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { createChart } from "./create-chart.ts";

/** Chooses the query of a new chart, then opens its chart builder. */
export function NewChartDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [queryId, setQueryId] = useState<string | null>(null);
  const [asked] = useDebouncedValue(text.trim(), 150);
  const found = useQuery(
    trpc.library.list.queryOptions(
      { kind: "query", limit: 50, ...(asked !== "" && { search: asked }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const create = useMutation({
    mutationFn: async () => createChart(await api.queries.get.query({ id: queryId ?? "" })),
    onSuccess: (shortId) => navigate({ to: "/q/$shortId/edit", params: { shortId } }),
  });
  const queries = found.data?.items ?? [];
  const isEmpty = found.data !== undefined && queries.length === 0 && asked === "";
  return (
    <Modal opened onClose={onClose} title="New chart">
      {isEmpty ? (
        <Text mb="md">A chart shows the result of a query, and there is no query yet.</Text>
      ) : (
        <Select
          label="Query"
          description="The chart shows its result. Search by words of its name, description or SQL."
          placeholder="Choose a query"
          data={queries.map(({ id, title }) => ({ value: id, label: title }))}
          // The api has searched already, in more than the titles.
          filter={({ options }) => options}
          value={queryId}
          onChange={setQueryId}
          onSearchChange={setText}
          nothingFoundMessage={found.isFetching ? "Searching…" : "No query has these words"}
          searchable
          data-autofocus
        />
      )}
      {(create.error ?? found.error) && <ErrorNotice error={create.error ?? found.error} />}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {isEmpty ? (
          <ButtonTo to="/queries/new">Write a query</ButtonTo>
        ) : (
          <Button
            aria-disabled={queryId === null || create.isPending}
            onClick={() => queryId !== null && !create.isPending && create.mutate()}
          >
            Make the chart
          </Button>
        )}
      </Group>
    </Modal>
  );
}
