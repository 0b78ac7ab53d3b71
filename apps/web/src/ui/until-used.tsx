import { Menu, type MenuProps } from "@mantine/core";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";

interface ClosedProps {
  "aria-haspopup": "menu" | "dialog";
  "aria-expanded": false;
  onClick: () => void;
}

interface UsedParts {
  /** For the button, which has the focus already. */
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}

interface UntilUsedProps {
  opens: ClosedProps["aria-haspopup"];
  /** The button alone. */
  closed: (props: ClosedProps) => ReactNode;
  /** The button and what it opens. */
  used: (parts: UsedParts) => ReactNode;
  /** Set to the button once it was pressed. */
  target?: UsedParts["button"] | undefined;
}

/** What a button opens takes long to draw, and a page has many such buttons: until one is pressed it is only a button. */
export function UntilUsed({ opens, closed, ...parts }: UntilUsedProps) {
  const [isUsed, setUsed] = useState(false);
  if (isUsed) return <Used {...parts} />;
  return closed({ "aria-haspopup": opens, "aria-expanded": false, onClick: () => setUsed(true) });
}

function Used({ used, target }: Pick<UntilUsedProps, "used" | "target">) {
  const [isOpen, setOpen] = useState(false);
  const own = useRef<HTMLButtonElement>(null);
  const button = target ?? own;
  // It takes the place of the button that was pressed, with its focus.
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpen(true);
  }, []);
  return used({ button, isOpen, setOpen });
}

type ButtonProps = Partial<ClosedProps> & { ref?: UsedParts["button"] };

interface LazyMenuProps extends Pick<MenuProps, "position" | "width">, Pick<UntilUsedProps, "target"> {
  /** Passes on all it is given. */
  button: (props: ButtonProps) => ReactNode;
  /** The entries. */
  children: ReactNode;
}

/** A menu that is only its button until that is pressed. */
export const LazyMenu = ({ button, target, children, ...menu }: LazyMenuProps) => (
  <UntilUsed
    opens="menu"
    target={target}
    closed={button}
    used={({ button: ref, isOpen, setOpen }) => (
      <Menu {...menu} opened={isOpen} onChange={setOpen}>
        <Menu.Target>{button({ ref })}</Menu.Target>
        <Menu.Dropdown>{children}</Menu.Dropdown>
      </Menu>
    )}
  />
);
