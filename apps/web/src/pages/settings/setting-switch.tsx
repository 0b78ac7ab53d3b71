import { Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Inputs, Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, showChange, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { Section } from "../../ui/section.tsx";

type Settings = Outputs["settings"]["get"];

interface SettingSwitchProps {
  title: string;
  description: string;
  label: string;
  hint: string;
  isOn: (settings: Settings) => boolean;
  toChange: (isOn: boolean) => Inputs["settings"]["update"];
  /** Shown after a change. */
  messages: { on: string; off: string };
}

/** A setting of the organization that is on or off. A change is saved at once. */
export function SettingSwitch({
  title,
  description,
  label,
  hint,
  isOn,
  toChange,
  messages,
}: SettingSwitchProps) {
  const { data: settings } = useQuery(trpc.settings.get.queryOptions());
  const change = useMutation({
    mutationFn: (next: boolean) => api.settings.update.mutate(toChange(next)),
    onSuccess: (changed) => {
      showChange(trpc.settings.get.queryKey(), changed);
      notifications.show({ message: isOn(changed) ? messages.on : messages.off });
    },
  });
  return (
    <Section title={title} description={description}>
      {change.error && <ErrorNotice error={change.error} />}
      <Switch
        label={label}
        description={hint}
        checked={settings ? isOn(settings) : false}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </Section>
  );
}
