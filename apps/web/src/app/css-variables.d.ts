import "react";

declare module "react" {
  interface CSSProperties {
    /** Variables that a component passes to its style sheet. */
    [variable: `--${string}`]: string | undefined;
  }
}
