import { ActionIcon, CopyButton as MantineCopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

interface CopyButtonProps {
  value: string;
  /** The name of what is copied, for the button's label: "the shortId". */
  what: string;
}

/** Copies a text and confirms it. */
export const CopyButton = ({ value, what }: CopyButtonProps) => (
  <MantineCopyButton value={value}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? "Copied" : `Copy ${what}`}>
        <ActionIcon variant="subtle" aria-label={copied ? `Copied ${what}` : `Copy ${what}`} onClick={copy}>
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
    )}
  </MantineCopyButton>
);
