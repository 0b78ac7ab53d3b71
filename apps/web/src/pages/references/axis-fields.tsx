import { Fieldset, Stack } from "@mantine/core";
import { type ChartSettings, hasMeaning, hasRightAxis } from "@querybell/charts/settings";
import { FormatSelect, OptionalNumber, OptionalText, SettingGroup, Toggle } from "./builder-controls.tsx";

interface AxisFieldsProps {
  settings: ChartSettings;
  onChange: (changed: Partial<ChartSettings>) => void;
}

/** Formats, titles and ranges of the axes, and the lines at a value. */
export function AxisFields({ settings, onChange }: AxisFieldsProps) {
  const has = (setting: keyof ChartSettings) => hasMeaning(settings, setting);
  if (settings.type === "pie") {
    return (
      <FormatSelect
        label="Values as"
        value={settings.valueFormat}
        onChange={(valueFormat) => onChange({ valueFormat })}
      />
    );
  }
  if (!has("categoryFormat")) return null;
  const range = [settings.minimum, settings.maximum] as const;
  const rightRange = [settings.rightMinimum, settings.rightMaximum] as const;
  return (
    <>
      <FormatSelect
        label="Axis as"
        value={settings.categoryFormat}
        onChange={(categoryFormat) => onChange({ categoryFormat })}
      />
      <OptionalText
        label="Title of the axis"
        value={settings.categoryLabel}
        onChange={(categoryLabel) => onChange({ categoryLabel })}
      />
      <FormatSelect
        label="Values as"
        value={settings.valueFormat}
        onChange={(valueFormat) => onChange({ valueFormat })}
      />
      <OptionalText
        label="Title of the values"
        value={settings.valueLabel}
        onChange={(valueLabel) => onChange({ valueLabel })}
      />
      <SettingGroup>
        <OptionalNumber
          label="Values from"
          value={settings.minimum}
          onChange={(minimum) => onChange({ minimum })}
          error={
            settings.logarithmic &&
            settings.minimum !== null &&
            settings.minimum <= 0 &&
            "A logarithmic axis begins above zero."
          }
        />
        <OptionalNumber
          label="Values to"
          value={settings.maximum}
          onChange={(maximum) => onChange({ maximum })}
          error={isEmptyRange(range) && "Must be greater than “Values from”."}
        />
      </SettingGroup>
      <Toggle
        label="Logarithmic values"
        value={settings.logarithmic}
        onChange={(logarithmic) => onChange({ logarithmic })}
      />
      {hasRightAxis(settings) && (
        <Fieldset legend="Axis at the right" p="sm">
          <Stack gap="xs">
            <FormatSelect
              label="Values at the right as"
              value={settings.rightFormat}
              onChange={(rightFormat) => onChange({ rightFormat })}
            />
            <OptionalText
              label="Title at the right"
              value={settings.rightLabel}
              onChange={(rightLabel) => onChange({ rightLabel })}
            />
            <SettingGroup>
              <OptionalNumber
                label="From, at the right"
                value={settings.rightMinimum}
                onChange={(rightMinimum) => onChange({ rightMinimum })}
              />
              <OptionalNumber
                label="To, at the right"
                value={settings.rightMaximum}
                onChange={(rightMaximum) => onChange({ rightMaximum })}
                error={isEmptyRange(rightRange) && "Must be greater than “From, at the right”."}
              />
            </SettingGroup>
          </Stack>
        </Fieldset>
      )}
      <SettingGroup>
        <OptionalNumber
          label="Goal"
          placeholder="None"
          value={settings.goal}
          onChange={(goal) => onChange({ goal })}
        />
        {has("goalLabel") && (
          <OptionalText
            label="Name of the goal"
            placeholder="Its value"
            value={settings.goalLabel}
            onChange={(goalLabel) => onChange({ goalLabel })}
          />
        )}
      </SettingGroup>
      <Toggle
        label="Line at the average"
        value={settings.average}
        onChange={(average) => onChange({ average })}
      />
    </>
  );
}

const isEmptyRange = ([from, to]: readonly [number | null, number | null]) =>
  from !== null && to !== null && to <= from;
