import { Group, NumberInput } from "@mantine/core";
import type { Visualization } from "../../charts/visualization.ts";

interface MarginsProps {
  value: Visualization["marginConfig"];
  onChange: (margins: Visualization["marginConfig"]) => void;
}

export const Margins = ({ value, onChange }: MarginsProps) => (
  <Group gap="xs" grow>
    {(["top", "right", "bottom", "left"] as const).map((side) => (
      <NumberInput
        key={side}
        size="xs"
        label={`Margin ${side}`}
        min={0}
        max={1000}
        value={value[side]}
        onChange={(next) => typeof next === "number" && onChange({ ...value, [side]: next })}
      />
    ))}
  </Group>
);
