import { Anchor, type AnchorProps } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isPlainClick } from "./plain-click.ts";

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
