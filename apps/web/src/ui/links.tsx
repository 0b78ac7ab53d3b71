import { Anchor, type AnchorProps, Button, type ButtonProps, Menu, type MenuItemProps } from "@mantine/core";
import { createLink, useRouter } from "@tanstack/react-router";
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from "react";

type OfAnchor<Props> = Props & Omit<ComponentPropsWithRef<"a">, keyof Props>;

// Mantine's components as links of the router, whose addresses the compiler checks: <ButtonTo to="/queries">.

export const AnchorTo = createLink((props: OfAnchor<AnchorProps>) => <Anchor {...props} />);

export const ButtonTo = createLink((props: OfAnchor<ButtonProps>) => <Button component="a" {...props} />);

export const MenuItemTo = createLink((props: OfAnchor<MenuItemProps>) => (
  <Menu.Item component="a" {...props} />
));

interface HrefLinkProps extends AnchorProps {
  /** An address inside this app that came as data. For a known address use `AnchorTo`, which the compiler checks. */
  href: string;
  children: ReactNode;
}

export function HrefLink({ href, ...props }: HrefLinkProps) {
  const router = useRouter();
  return (
    <Anchor
      href={href}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        void router.navigate({ href });
      }}
      {...props}
    />
  );
}

/** Whether a click should open a link in this tab, not in a new tab or window. */
export const isPlainClick = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
