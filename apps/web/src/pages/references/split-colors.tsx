import { ColorInput, Fieldset, SimpleGrid } from "@mantine/core";
import type { ChartRows } from "@querybell/charts/chart-data";
import {
  type ChartSettings,
  namesWithColors,
  palette,
  settingsToElement,
  timeNames,
} from "@querybell/charts/settings";
import { useMemo } from "react";
import { readerFormats } from "../../results/value-formats.ts";

interface SplitColorsProps {
  settings: ChartSettings;
  rows: ChartRows;
  onChange: (changed: Partial<ChartSettings>) => void;
}

/** A colour for each value of the split, or for each slice of a pie. */
export function SplitColors({ settings, rows, onChange }: SplitColorsProps) {
  const { splitColors } = settings;
  const found = useMemo(() => {
    const element = settingsToElement(settings);
    const names = element ? namesWithColors(element, rows) : [];
    // Months are labelled as the legend has them; the colour belongs to the value.
    const times = timeNames(
      names.map(({ name }) => name),
      readerFormats(),
    );
    return names.map((one, index) => ({ ...one, label: times[index] ?? one.name }));
  }, [settings, rows]);
  if (found.length === 0) return null;
  const choose = (name: string, usual: string, color: string) => {
    const { [name]: _, ...others } = splitColors;
    onChange({ splitColors: color === usual || color === "" ? others : { ...others, [name]: color } });
  };
  return (
    <Fieldset legend="Colours" p="sm">
      <SimpleGrid cols={2} spacing="xs">
        {found.map(({ name, label, color }) => (
          <ColorInput
            key={name}
            label={label}
            size="xs"
            withEyeDropper={false}
            swatches={[...palette]}
            value={splitColors[name] ?? color}
            onChange={(chosen) => choose(name, color, chosen)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
