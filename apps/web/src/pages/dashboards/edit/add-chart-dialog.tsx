import { Button, Group, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, trpc } from "../../../api.ts";
import { ErrorNotice, showFailure } from "../../../errors/error-notice.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ButtonTo } from "../../../ui/links.tsx";

interface AddChartDialogProps {
  onClose: () => void;
  onAdd: (chart: { id: string; size: "chart" | "number" | "table" }) => void;
}

/** Chooses a chart for a new tile. */
export function AddChartDialog({ onClose, onAdd }: AddChartDialogProps) {
  const [text, setText] = useState("");
  const [id, setId] = useState<string | null>(null);
  const [asked] = useDebouncedValue(text.trim(), 150);
  const found = useQuery(
    trpc.library.list.queryOptions(
      { kind: "reference", limit: 50, ...(asked !== "" && { search: asked }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const charts = found.data?.items.flatMap((item) => (item.kind === "reference" ? [item] : [])) ?? [];
  const isEmpty = found.data !== undefined && charts.length === 0 && asked === "";
  const add = async () => {
    const chart = charts.find((one) => one.id === id);
    if (!chart) return;
    try {
      const { visualization } = await api.references.get.query({ shortId: chart.shortId });
      const type = visualization?.type ?? "table";
      onAdd({ id: chart.id, size: type === "number" || type === "table" ? type : "chart" });
      onClose();
    } catch (error) {
      showFailure("Not added", error);
    }
  };
  return (
    <Dialog onClose={onClose} title="Add a chart">
      <Select
        label="Chart"
        description="Search by words of its title or description."
        placeholder={isEmpty ? "There are no charts yet" : "Choose a chart"}
        data={charts.map((chart) => ({ value: chart.id, label: chart.title }))}
        // The api has searched already, in more than the titles.
        filter={({ options }) => options}
        value={id}
        onChange={setId}
        onSearchChange={setText}
        nothingFoundMessage={found.isFetching ? "Searching…" : "No chart has these words"}
        searchable
        data-autofocus
      />
      {found.error && <ErrorNotice error={found.error} />}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {isEmpty ? (
          <ButtonTo to="/charts">Make a chart</ButtonTo>
        ) : (
          <Button aria-disabled={id === null} onClick={() => void add()}>
            Add the chart
          </Button>
        )}
      </Group>
    </Dialog>
  );
}
