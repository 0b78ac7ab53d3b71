import { Button, Group, Select, Text } from "@mantine/core";
import type { DashboardFilters } from "@querybell/domain";
import { useState } from "react";
import { labelOf } from "../../../parameters/parameter-values.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import type { Chart, Tile } from "../dashboard.ts";

type ChartTile = Extract<Tile, { kind: "chart" }>;
type Click = NonNullable<ChartTile["click"]>;

interface ClickDialogProps {
  tile: ChartTile;
  chart: Chart | undefined;
  filters: DashboardFilters;
  onClose: () => void;
  onSave: (tile: ChartTile) => void;
}

const none = "none";

/** Chooses what a click on a bar, a point or a slice does. */
export function ClickDialog({ tile, chart, filters, onClose, onSave }: ClickDialogProps) {
  const placeholders = chart?.state === "shown" ? chart.placeholders : [];
  const choices: { label: string; click: Click }[] = [
    ...filters.definitions.map((definition) => ({
      label: `Filter the other charts by ${labelOf(definition)}`,
      click: { does: "filter" as const, filter: definition.name },
    })),
    ...placeholders.map((placeholder) => ({
      label: `Open the chart with the value as {{${placeholder}}}`,
      click: { does: "open" as const, placeholder },
    })),
  ];
  const now = choices.findIndex(({ click }) => JSON.stringify(click) === JSON.stringify(tile.click));
  const [chosen, setChosen] = useState(now === -1 ? none : String(now));
  const save = () => {
    const { click: _, ...rest } = tile;
    const choice = choices[Number(chosen)];
    onSave(chosen === none || !choice ? rest : { ...rest, click: choice.click });
    onClose();
  };
  return (
    <Dialog onClose={onClose} title="What a click does">
      <Select
        label="A click on a bar, a point or a slice"
        allowDeselect={false}
        data={[
          { value: none, label: "Does nothing" },
          ...choices.map(({ label }, at) => ({ value: String(at), label })),
        ]}
        value={chosen}
        onChange={(value) => setChosen(value ?? none)}
        data-autofocus
      />
      <Text size="sm" c="dimmed" mt="xs">
        {choices.length === 0
          ? "Add a filter first, or write a placeholder such as {{region}} into the query of the chart."
          : "The value is the category that is clicked. The same click once more takes a filter back."}
      </Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={save}>Use it</Button>
      </Group>
    </Dialog>
  );
}
