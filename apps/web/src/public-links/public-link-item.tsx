import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { api, queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { pluralize } from "../format/pluralize.ts";
import { ConfirmModal } from "../ui/confirm-modal.tsx";
import { Item } from "../ui/item-list.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Tag, type Tone } from "../ui/tag.tsx";
import { Timestamp } from "../ui/timestamp.tsx";

const ChangeLinkDialog = lazyPart(async () => (await import("./change-link-dialog.tsx")).ChangeLinkDialog);

export type PublicLink = Outputs["publicLinks"]["list"]["links"][number];

export const refreshPublicLinks = () => queryClient.invalidateQueries(trpc.publicLinks.pathFilter());

const states: Record<PublicLink["state"], { tone: Tone; label: string }> = {
  open: { tone: "good", label: "Open to anybody with the link" },
  expired: { tone: "quiet", label: "Expired" },
  not_allowed: { tone: "quiet", label: "Off: public links are not allowed" },
  owner_left: { tone: "bad", label: "Off: its owner is no longer a member" },
  no_page: { tone: "quiet", label: "No results yet" },
};

interface PublicLinkItemProps {
  link: PublicLink;
  title: ReactNode;
  /** For the labels of the buttons. */
  name: string;
  /** Called with the new address, which is shown once. */
  onAddress: (url: string) => void;
}

/** A public link: its state, how often it was opened, and what can be done with it. */
export function PublicLinkItem({ link, title, name, onAddress }: PublicLinkItemProps) {
  const { id, state, hasPassword, expiresAt, isFollowing, createdBy, createdAt, views, lastViewAt } = link;
  const { choices, pagesMade, pagesTotal } = link;
  const { data: members } = useQuery(trpc.members.list.queryOptions());
  const [isRevoking, setIsRevoking] = useState(false);
  const [isChanging, setIsChanging] = useState(false);
  const creator = members?.find(({ userId }) => userId === createdBy)?.name;
  const publish = useMutation({
    mutationFn: () => api.publicLinks.publish.mutate({ id }),
    onSuccess: async () => {
      await refreshPublicLinks();
      notifications.show({
        message:
          choices.length > 0
            ? "The queries of all values run again. The pages follow their results."
            : "The page shows the newest results now.",
      });
    },
  });
  const rotate = useMutation({
    mutationFn: () => api.publicLinks.rotate.mutate({ id }),
    onSuccess: async ({ url }) => {
      onAddress(url);
      await refreshPublicLinks();
    },
  });
  const revoke = async () => {
    await api.publicLinks.revoke.mutate({ id });
    await refreshPublicLinks();
    notifications.show({ message: "The link is revoked. Its page is gone within a second." });
  };
  const error = publish.error ?? rotate.error;
  const action = (label: string, { mutate, isPending }: typeof publish | typeof rotate) => (
    <Button
      variant="default"
      size="xs"
      aria-label={`${label}: ${name}`}
      aria-disabled={isPending}
      onClick={() => {
        if (!isPending) mutate();
      }}
    >
      {label}
    </Button>
  );
  return (
    <Item
      title={
        <>
          {title} <Tag tone={states[state].tone}>{states[state].label}</Tag>
          {hasPassword && <Tag>Password</Tag>}
        </>
      }
      actions={
        <>
          {action("Update now", publish)}
          {action("New address", rotate)}
          <Button
            variant="default"
            size="xs"
            aria-label={`Change: ${name}`}
            onClick={() => setIsChanging(true)}
          >
            Change
          </Button>
          {isChanging && (
            <Suspense fallback={null}>
              <ChangeLinkDialog link={link} onClose={() => setIsChanging(false)} />
            </Suspense>
          )}
          <Button
            variant="default"
            size="xs"
            aria-label={`Revoke: ${name}`}
            onClick={() => setIsRevoking(true)}
          >
            Revoke
          </Button>
          <ConfirmModal
            opened={isRevoking}
            onClose={() => setIsRevoking(false)}
            title="Revoke the public link?"
            action="Revoke the link"
            onConfirm={revoke}
          >
            Nobody can open its page any more. This cannot be undone: a new link has another address.
          </ConfirmModal>
        </>
      }
    >
      <span>
        {pluralize(views, "view")}
        {lastViewAt && (
          <>
            , last <Timestamp at={lastViewAt} format="relative" />
          </>
        )}
      </span>
      <span>
        Made <Timestamp at={createdAt} format="date" />
        {creator !== undefined && ` by ${creator}`}
      </span>
      <span>
        {expiresAt ? (
          <>
            {state === "expired" ? "Expired" : "Expires"} <Timestamp at={expiresAt} />
          </>
        ) : (
          "Does not expire"
        )}
      </span>
      <span>{isFollowing ? "Follows newer results" : "Stays as it was published"}</span>
      {choices.length > 0 && (
        <span>
          Visitors choose {choices.map(({ name }) => name).join(", ")}:{" "}
          {pagesMade === pagesTotal
            ? pluralize(pagesTotal, "combination")
            : `${pagesMade} of ${pluralize(pagesTotal, "combination")} are there`}
        </span>
      )}
      {link.failure !== null && <span>Not updated: {link.failure}</span>}
      {error && <ErrorNotice error={error} />}
    </Item>
  );
}
