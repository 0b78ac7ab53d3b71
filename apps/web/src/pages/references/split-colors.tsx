import { ColorInput, Fieldset, SimpleGrid } from "@mantine/core";
import type { ChartRows } from "@querybell/charts/chart-data";
import { type ChartSettings, namesWithColors, palette, settingsToElement } from "@querybell/charts/settings";
import { useMemo } from "react";

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
    return element ? namesWithColors(element, rows) : [];
  }, [settings, rows]);
  if (found.length === 0) return null;
  const choose = (name: string, usual: string, color: string) => {
    const { [name]: _, ...others } = splitColors;
    onChange({ splitColors: color === usual || color === "" ? others : { ...others, [name]: color } });
  };
  return (
    <Fieldset legend="Colours" p="sm">
      <SimpleGrid cols={2} spacing="xs">
        {found.map(({ name, color }) => (
          <ColorInput
            key={name}
            label={name}
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
