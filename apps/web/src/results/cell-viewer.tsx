import { Modal } from "@mantine/core";
import type { Field } from "@querybell/domain";
import { CopyButton } from "../components/copy-button.tsx";
import classes from "./result-grid.module.css";
import { toPlainText } from "./value-formats.ts";

interface CellViewerProps {
  field: Field;
  value: unknown;
  onClose: () => void;
}

/** A cell's whole value; JSON is laid out. */
export function CellViewer({ field, value, onClose }: CellViewerProps) {
  const text = value === null ? "NULL" : readable(value, field.type);
  return (
    <Modal opened onClose={onClose} title={`${field.name} · ${field.type}`} size="lg">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={classes.value} tabIndex={0}>
        {text}
      </pre>
      {value !== null && <CopyButton value={text} what="the value" />}
    </Modal>
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
