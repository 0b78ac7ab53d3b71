import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";
import { Scrollable } from "./scrollable.tsx";

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
