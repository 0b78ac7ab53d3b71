import { Button, Menu, useComputedColorScheme } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";

interface PictureMenuProps {
  shortId: string;
  runId: string;
}

/** Downloads the chart as a picture, in the colours and the language of the page. */
export function PictureMenu({ shortId, runId }: PictureMenuProps) {
  const scheme = useComputedColorScheme("light");
  const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const address = (format: "png" | "svg", chosen: "light" | "dark") =>
    `/api/charts/${shortId}/picture.${format}?${new URLSearchParams({ run: runId, scheme: chosen, locale, timeZone })}`;
  const other = scheme === "light" ? "dark" : "light";
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" leftSection={<IconPhoto size={14} />}>
          Picture
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={address("png", scheme)} download>
          PNG
        </Menu.Item>
        <Menu.Item component="a" href={address("svg", scheme)} download>
          SVG, for print
        </Menu.Item>
        <Menu.Item component="a" href={address("png", other)} download>
          PNG on a {other} background
        </Menu.Item>
        <Menu.Item component="a" href={address("svg", other)} download>
          SVG on a {other} background
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
