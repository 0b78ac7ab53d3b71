import type { ReactNode } from "react";

interface ScrollableProps {
  /** What it shows, for screen readers. */
  label: string;
  className: string | undefined;
  children: ReactNode;
}

/** A part of a page that scrolls by itself, also by keyboard. */
export const Scrollable = ({ label, className, children }: ScrollableProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a page can have several, and each section would need another name.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
  <div role="group" className={className} tabIndex={0} aria-label={label}>
    {children}
  </div>
);
