import { Text } from "@mantine/core";
import { toPlainText } from "@querybell/charts/formats";
import type { Field } from "@querybell/domain";
import { CodeBlock } from "../ui/copyable.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface CellViewerProps {
  field: Field;
  value: unknown;
  onClose: () => void;
}

/** A cell's whole value; JSON is laid out. */
export function CellViewer({ field, value, onClose }: CellViewerProps) {
  return (
    <Dialog onClose={onClose} title={`${field.name} · ${field.type}`} size="lg">
      {value === null ? (
        <Text c="dimmed">NULL</Text>
      ) : (
        <CodeBlock code={readable(value, field.type)} what="the value" wraps />
      )}
    </Dialog>
  );
}

function readable(value: unknown, type: Field["type"]): string {
  if (type !== "json") return toPlainText(value);
  try {
    return JSON.stringify(typeof value === "string" ? JSON.parse(value) : value, null, 2);
  } catch {
    return toPlainText(value);
  }
}
