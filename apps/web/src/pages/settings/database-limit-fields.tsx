import { Fieldset, SimpleGrid } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { NumberField } from "../../ui/number-field.tsx";
import type { DatabaseValues } from "./database-values.ts";

interface Limit {
  field: keyof DatabaseValues["limits"];
  label: string;
  /** The factor from the shown unit to the stored unit. */
  unit: number;
  min: number;
  max: number;
}

const mebibyte = 1024 ** 2;

const limits: Limit[] = [
  { field: "timeMs", label: "Maximum time (seconds)", unit: 1000, min: 1, max: 3600 },
  { field: "rows", label: "Most rows", unit: 1, min: 1, max: 1_000_000 },
  { field: "bytes", label: "Maximum result (MiB)", unit: mebibyte, min: 1, max: 256 },
  { field: "memoryBytes", label: "Memory (MiB)", unit: mebibyte, min: 64, max: 65_536 },
];

/** The limits of a run, in readable units. */
export const DatabaseLimitFields = ({ form }: { form: UseFormReturnType<DatabaseValues> }) => (
  <Fieldset legend="Limits of one run">
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {limits.map(({ field, label, unit, min, max }) => (
        <NumberField
          key={field}
          label={label}
          min={min}
          max={max}
          clampBehavior="blur"
          thousandSeparator=","
          value={form.values.limits[field] / unit}
          error={form.errors[`limits.${field}`]}
          onChange={(value) => {
            if (value !== null) form.setFieldValue(`limits.${field}`, Math.round(value * unit));
          }}
        />
      ))}
    </SimpleGrid>
  </Fieldset>
);
