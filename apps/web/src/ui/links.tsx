import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  NavLink,
  type NavLinkProps,
} from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type OfAnchor<Props> = Props & Omit<ComponentPropsWithRef<"a">, keyof Props>;

// Mantine's components as links of the router, whose addresses the compiler checks: <ButtonTo to="/queries">.

export const AnchorTo = createLink((props: OfAnchor<AnchorProps>) => <Anchor {...props} />);

export const ButtonTo = createLink((props: OfAnchor<ButtonProps>) => <Button component="a" {...props} />);

export const NavLinkTo = createLink((props: OfAnchor<NavLinkProps>) => <NavLink component="a" {...props} />);

export const MenuItemTo = createLink((props: OfAnchor<MenuItemProps>) => (
  <Menu.Item component="a" {...props} />
));
