import { ActionIcon, Alert, Group, CopyButton as MantineCopyButton, Text } from "@mantine/core";
import { IconCheck, IconCopy, IconKey } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./copyable.module.css";
import { Hint } from "./hint.tsx";
import { Scrollable } from "./scrollable.tsx";

interface CopyButtonProps {
  value: string;
  /** The name of what is copied, for the button's label: "the shortId". */
  what: string;
}

/** Copies a text and confirms it. */
export const CopyButton = ({ value, what }: CopyButtonProps) => (
  <MantineCopyButton value={value}>
    {({ copied, copy }) => (
      <Hint label={copied ? "Copied" : `Copy ${what}`}>
        <ActionIcon variant="subtle" aria-label={copied ? `Copied ${what}` : `Copy ${what}`} onClick={copy}>
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Hint>
    )}
  </MantineCopyButton>
);

interface CodeBlockProps {
  code: string;
  /** The name of the text, for the copy button and screen readers: "the command". */
  what: string;
  /** Wraps long lines, for text to read rather than to paste. */
  wraps?: boolean;
}

/** Preformatted text with a copy button. Long text scrolls, also by keyboard. */
export const CodeBlock = ({ code, what, wraps = false }: CodeBlockProps) => (
  <div className={classes.block}>
    <Scrollable className={classes.code} label={what}>
      <pre data-wraps={wraps}>{code}</pre>
    </Scrollable>
    <div className={classes.copy}>
      <CopyButton value={code} what={what} />
    </div>
  </div>
);

interface ShownOnceProps {
  title: string;
  /** A secret or an invitation link. It is stored only in the memory of this page. */
  value: string;
  /** What it is, for the copy button: "the key". */
  what: string;
  /** What to do with it. */
  children?: ReactNode;
}

/** A secret that the api returns only once, with a copy button. */
export const ShownOnce = ({ title, value, what, children }: ShownOnceProps) => (
  <Alert color="amber" variant="light" icon={<IconKey />} title={title} role="status" mb="md">
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <code className={classes.value}>{value}</code>
      <CopyButton value={value} what={what} />
    </Group>
    {children !== undefined && (
      <Text size="sm" mt="xs">
        {children}
      </Text>
    )}
  </Alert>
);
