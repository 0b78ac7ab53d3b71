import { Fieldset, SimpleGrid, Text } from "@mantine/core";
import { maxMargin } from "@querybell/charts/chart-size";
import { plainMargins } from "@querybell/domain/plain-margins";
import type { Visualization } from "../../charts/visualization.ts";
import { NumberField } from "../../ui/number-field.tsx";

interface MarginsProps {
  value: Visualization["marginConfig"];
  onChange: (margins: Visualization["marginConfig"]) => void;
}

const sides = [
  ["top", "Top"],
  ["right", "Right"],
  ["bottom", "Bottom"],
  ["left", "Left"],
] as const;

/** The space around the chart, in pixels. */
export const Margins = ({ value, onChange }: MarginsProps) => (
  <Fieldset legend="Margins" p="sm">
    <SimpleGrid cols={4} spacing="xs">
      {sides.map(([side, label]) => (
        <Margin
          key={side}
          label={label}
          usual={plainMargins[side]}
          value={value[side]}
          onChange={(next) => onChange({ ...value, [side]: next })}
        />
      ))}
    </SimpleGrid>
    <Text size="xs" c="dimmed" mt={4}>
      In pixels, at most {maxMargin}. An empty field takes the usual margin.
    </Text>
  </Fieldset>
);

interface MarginProps {
  label: string;
  /** What an empty field means. */
  usual: number;
  value: number;
  onChange: (value: number) => void;
}

const Margin = ({ label, usual, value, onChange }: MarginProps) => (
  <NumberField
    size="xs"
    label={label}
    min={0}
    max={maxMargin}
    allowDecimal={false}
    placeholder={String(usual)}
    value={value}
    onChange={(next) => onChange(Math.min(maxMargin, next ?? usual))}
  />
);
