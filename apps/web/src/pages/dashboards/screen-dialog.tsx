import { Button, Group, Select } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import { toValueSearch } from "../../parameters/value-search.ts";
import { Dialog } from "../../ui/dialog.tsx";

interface ScreenDialogProps {
  dashboardId: string;
  hasTabs: boolean;
  values: ValueTexts;
  onClose: () => void;
}

const never = "never";
const rotations = {
  [never]: "Stay on the first tab",
  15: "After 15 seconds",
  30: "After 30 seconds",
  60: "After a minute",
};
const refreshes = {
  [never]: "Only show what others refresh",
  60: "Every minute",
  300: "Every 5 minutes",
  900: "Every 15 minutes",
  3600: "Every hour",
};

const toData = (labels: Record<string, string>) =>
  Object.entries(labels)
    .map(([value, label]) => ({ value, label }))
    .sort((one) => (one.value === never ? -1 : 0));

/** Opens a dashboard on the whole screen. */
export function ScreenDialog({ dashboardId, hasTabs, values, onClose }: ScreenDialogProps) {
  const navigate = useNavigate();
  const [rotate, setRotate] = useState(hasTabs ? "30" : never);
  const [refresh, setRefresh] = useState(never);
  const open = async () => {
    // A browser may refuse it. The page is without header and sidebar all the same.
    await document.documentElement.requestFullscreen?.().catch(() => {});
    onClose();
    await navigate({
      to: "/dashboards/$dashboardId/kiosk",
      params: { dashboardId },
      search: {
        ...(rotate !== never && { rotate: Number(rotate) }),
        ...(refresh !== never && { refresh: Number(refresh) }),
        ...toValueSearch(values),
      },
    });
  };
  return (
    <Dialog onClose={onClose} title="Show on a screen">
      {hasTabs && (
        <Select
          label="Next tab"
          allowDeselect={false}
          data={toData(rotations)}
          value={rotate}
          onChange={(value) => setRotate(value ?? never)}
        />
      )}
      <Select
        mt="sm"
        label="Refresh"
        allowDeselect={false}
        data={toData(refreshes)}
        value={refresh}
        onChange={(value) => setRefresh(value ?? never)}
      />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={() => void open()}>Show it</Button>
      </Group>
    </Dialog>
  );
}
