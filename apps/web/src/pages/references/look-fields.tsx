import { Group } from "@mantine/core";
import { type ChartSettings, hasMeaning } from "@querybell/charts/settings";
import { Choice, OptionalNumber, SettingGroup, Toggle } from "./builder-controls.tsx";

interface LookFieldsProps {
  settings: ChartSettings;
  onChange: (changed: Partial<ChartSettings>) => void;
}

/** How the marks are drawn and ordered. */
export function LookFields({ settings, onChange }: LookFieldsProps) {
  const has = (setting: keyof ChartSettings) => hasMeaning(settings, setting);
  const toggles = [
    ["horizontal", "Horizontal bars"],
    ["smooth", "Smooth"],
    ["dots", "Dots"],
    ["grid", "Grid"],
    ["legend", "Legend"],
    ["labels", settings.type === "pie" ? "Labels" : "Values beside the marks"],
  ] as const;
  const shown = toggles.filter(([setting]) => has(setting));
  return (
    <>
      {has("stacking") && (
        <Choice
          label="Stacking"
          choices={[
            { value: "none", label: "Beside each other" },
            { value: "stacked", label: "Stacked" },
            { value: "percent", label: "Stacked to 100 %" },
          ]}
          value={settings.stacking}
          onChange={(stacking) => onChange({ stacking })}
        />
      )}
      {has("sort") && (
        <SettingGroup>
          <Choice
            label="Sorted by"
            choices={[
              { value: "none", label: settings.type === "pie" ? "Value, largest first" : "As in the result" },
              ...(settings.type === "pie"
                ? []
                : [{ value: "descending" as const, label: "Value, largest first" }]),
              { value: "ascending", label: "Value, smallest first" },
              { value: "name", label: "Name" },
            ]}
            value={settings.sort}
            onChange={(sort) => onChange({ sort })}
          />
          <OptionalNumber
            label="Only the largest"
            placeholder={settings.type === "pie" ? "8" : "All"}
            value={settings.top}
            onChange={(top) => onChange({ top })}
            limits={{ min: 1, max: 1000, allowDecimal: false }}
          />
        </SettingGroup>
      )}
      {has("empty") && (
        <Choice
          label="Missing values"
          choices={[
            { value: "gap", label: "A gap" },
            { value: "zero", label: "Zero" },
            { value: "connect", label: "Connected" },
          ]}
          value={settings.empty}
          onChange={(empty) => onChange({ empty })}
        />
      )}
      {shown.length > 0 && (
        <Group gap="lg">
          {shown.map(([setting, label]) => (
            <Toggle
              key={setting}
              label={label}
              value={settings[setting]}
              onChange={(value) => onChange({ [setting]: value })}
            />
          ))}
        </Group>
      )}
    </>
  );
}
