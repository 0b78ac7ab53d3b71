import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

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
    {/* biome-ignore lint/a11y/useSemanticElements: a page can have several, and sections need names of their own */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <div role="group" className={classes.code} tabIndex={0} aria-label={what}>
      <pre data-wraps={wraps}>{code}</pre>
    </div>
    <div className={classes.copy}>
      <CopyButton value={code} what={what} />
    </div>
  </div>
);
