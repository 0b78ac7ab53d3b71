import { Button } from "@mantine/core";
import { IconBulb } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, Suspense, useEffect, useState } from "react";
import { trpc } from "../../../api.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import type { HelpPanel as Panel } from "./help-panel.tsx";

const HelpPanel = lazyPart(async () => (await import("./help-panel.tsx")).HelpPanel);

interface HelpButtonProps {
  isOpen: boolean;
  onToggle: () => void;
}

/** Opens the help, where the organization has a model. Asked for once the page has nothing else to do. */
export function HelpButton({ isOpen, onToggle }: HelpButtonProps) {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(true), 500);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery(trpc.models.get.queryOptions(undefined, { enabled: isIdle, staleTime: 300_000 }));
  if (!data?.isReady) return null;
  return (
    <Button variant="default" leftSection={<IconBulb size={16} />} aria-expanded={isOpen} onClick={onToggle}>
      Help
    </Button>
  );
}

interface HelpedEditorProps extends ComponentProps<typeof Panel> {
  isOpen: boolean;
  /** Whether the help shows a suggestion, to accept or reject. */
  isReviewing: boolean;
  /** The editor. It is hidden while a suggestion is reviewed in its place. */
  children: ReactNode;
}

/** The editor and, when opened, the help of the organization's model. */
export const HelpedEditor = ({ isOpen, isReviewing, children, ...panel }: HelpedEditorProps) => (
  <>
    {isOpen && (
      <Suspense fallback={null}>
        <HelpPanel {...panel} />
      </Suspense>
    )}
    <div hidden={isOpen && isReviewing}>{children}</div>
  </>
);
