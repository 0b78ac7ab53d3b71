import { Button, Group, Loader, Text } from "@mantine/core";
import { useSeconds } from "../../../runs/run-progress.tsx";

interface WaitingProps {
  /** What is being done: "Reading the rows…". */
  children: string;
  onCancel: () => void;
}

/** Something that takes a while, for how long already, and a button to cancel it. */
export function Waiting({ children, onCancel }: WaitingProps) {
  const seconds = useSeconds();
  return (
    <Group gap="sm" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      <Text size="sm">
        <span role="status">{children}</span> {seconds} s
      </Text>
      <Button size="compact-sm" variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}
