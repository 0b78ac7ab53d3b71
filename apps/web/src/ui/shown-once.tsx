import { Alert, Group, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import classes from "./shown-once.module.css";

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
