import { ActionIcon, Kbd, Text, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { shortcutText } from "../../shortcuts/shortcuts.ts";
import { useShortcut } from "../../shortcuts/use-shortcut.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import classes from "./palette-button.module.css";

const Palette = lazyPart(async () => (await import("./palette.tsx")).Palette);

/** Opens the palette, which is loaded when it is first opened. The shortcut works everywhere, in the editor too. */
export function PaletteButton() {
  const [openCount, setOpenCount] = useState(0);
  const open = () => setOpenCount((before) => before + 1);
  useShortcut("search", open, { worksInFields: true });
  return (
    <>
      <UnstyledButton className={classes.wide} onClick={open} visibleFrom="sm" aria-haspopup="dialog">
        <IconSearch size={16} stroke={1.7} />
        <Text size="sm" span>
          Search or run a command
        </Text>
        <Kbd size="xs">{shortcutText("search")}</Kbd>
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        size="lg"
        onClick={open}
        hiddenFrom="sm"
        aria-label="Search or run a command"
      >
        <IconSearch size={20} stroke={1.7} />
      </ActionIcon>
      {openCount > 0 && (
        <Suspense>
          <Palette openCount={openCount} />
        </Suspense>
      )}
    </>
  );
}
