import { Tooltip } from "@mantine/core";
import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
} from "react";

interface TargetProps {
  ref?: Ref<HTMLElement>;
  onPointerEnter?: (event: PointerEvent) => void;
  onPointerLeave?: () => void;
  onFocus?: (event: FocusEvent) => void;
  onBlur?: () => void;
}

interface HintProps {
  /** Only for those who see it: for others, the element has this text, or a label that says the same. */
  label: ReactNode;
  children: ReactElement<TargetProps>;
}

const delayMs = 300;

/** A tooltip that takes no time to draw until the pointer is over its element, or the keyboard on it. */
export function Hint({ label, children }: HintProps) {
  const target = useRef<HTMLElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [state, setState] = useState<"unused" | "open" | "closed">("unused");
  const isOpen = state === "open";
  const show = () => setState("open");
  const hide = () => {
    clearTimeout(timer.current);
    setState((before) => (before === "open" ? "closed" : before));
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!isOpen) return;
    const onKeyDown = ({ key }: KeyboardEvent) => key === "Escape" && setState("closed");
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isOpen]);
  const watched = cloneElement(children, {
    ref: target,
    onPointerEnter: ({ pointerType }) => {
      clearTimeout(timer.current);
      if (pointerType !== "touch") timer.current = setTimeout(show, delayMs);
    },
    onPointerLeave: hide,
    onFocus: ({ currentTarget }) => currentTarget.matches(":focus-visible") && show(),
    onBlur: hide,
  });
  return (
    <>
      {watched}
      {state !== "unused" && <Tooltip target={target} label={label} opened={isOpen} />}
    </>
  );
}
