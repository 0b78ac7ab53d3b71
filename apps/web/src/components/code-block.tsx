import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

interface CodeBlockProps {
  code: string;
  /** What it is, for the copy button and for people who cannot see it: "the command". */
  what: string;
  /** Breaks long lines: for what is read rather than pasted. */
  wraps?: boolean;
}

/** Text to copy, as it is. A long one scrolls, also by keyboard. */
export const CodeBlock = ({ code, what, wraps = false }: CodeBlockProps) => (
  <div className={classes.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section className={classes.code} tabIndex={0} aria-label={what}>
      <pre data-wraps={wraps}>{code}</pre>
    </section>
    <div className={classes.copy}>
      <CopyButton value={code} what={what} />
    </div>
  </div>
);
