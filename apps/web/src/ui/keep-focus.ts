import { useEffect, useState } from "react";

const afterDrawing = (action: () => void) => requestAnimationFrame(() => requestAnimationFrame(action));

const focusPage = () => document.getElementById("page")?.focus({ preventScroll: true });

/** What had the focus may be gone. The keyboard then goes on at the start of the page, not of the window. */
export const keepFocus = (): unknown =>
  afterDrawing(() => {
    if (document.activeElement === document.body) focusPage();
  });

/**
 * After a dialog was closed, moves the focus back to the button that opened it, or to the start of the page if the button
 * is gone. Mantine's dialogs do it only if they were on the page before they were opened, and ours are loaded then.
 */
export const returnFocus = (opener: HTMLElement | null): unknown =>
  afterDrawing(() => {
    if (opener?.isConnected) opener.focus({ preventScroll: true });
    else focusPage();
  });

/**
 * For a dialog that is on the page only while it is open: when it goes, the focus moves back to where it was, unless
 * something else has taken it.
 */
export function useReturnedFocus(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      afterDrawing(() => {
        if (document.activeElement !== document.body) return;
        if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected) {
          opener.focus({ preventScroll: true });
        } else focusPage();
      });
    },
    [opener],
  );
}
