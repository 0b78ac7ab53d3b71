import { Fieldset, NumberInput, SimpleGrid } from "@mantine/core";
import type { Visualization } from "../../charts/visualization.ts";

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
        <NumberInput
          key={side}
          size="xs"
          label={label}
          min={0}
          max={1000}
          value={value[side]}
          onChange={(next) => typeof next === "number" && onChange({ ...value, [side]: next })}
        />
      ))}
    </SimpleGrid>
  </Fieldset>
);
