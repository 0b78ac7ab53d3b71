import { Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, queryClient } from "../api.ts";
import { reportSignedIn, useConnection } from "../frame/connection.ts";
import { SignInForm } from "../pages/account/sign-in-form.tsx";
import { useReturnedFocus } from "../ui/keep-focus.ts";
import { type Me, meOptions, useSession } from "./me.ts";
import { onSessionChange } from "./session-changes.ts";

/** A dialog to sign in again. The page stays open below it, so that typed text is not lost. */
export function SessionEnded() {
  const session = useSession();
  const { data: me } = useQuery(meOptions);
  const isEnded = useConnection() === "signed-out" || me === null;

  // In another tab, another user has signed in or the organization was switched, or the session does not open the
  // organization any more: this page must be reloaded. A session that opens it again shows what it showed before.
  const isOther = Boolean(
    me &&
      (me.user.id !== session.user.id ||
        activeOrganization(me) !== activeOrganization(session) ||
        (me.blocked !== null && session.blocked === null)),
  );
  useEffect(() => {
    if (isOther) location.assign("/");
  }, [isOther]);

  useEffect(() => onSessionChange(() => void queryClient.invalidateQueries(meOptions)), []);

  const openPage = async () => {
    await returnToOrganization(session);
    await queryClient.fetchQuery({ ...meOptions, staleTime: 0 });
    reportSignedIn();
    await queryClient.invalidateQueries();
  };
  // A dialog takes long to draw, also a closed one.
  return isEnded ? <SignInAgain email={session.user.email} onSignedIn={openPage} /> : null;
}

interface SignInAgainProps {
  email: string;
  onSignedIn: () => Promise<void>;
}

function SignInAgain({ email, onSignedIn }: SignInAgainProps) {
  useReturnedFocus();
  return (
    <Modal
      opened
      onClose={() => location.assign("/sign-in")}
      title="Sign in again"
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Text mb="md">Your session has ended. This page stays as it is while you sign in.</Text>
      <SignInForm label="Sign in" email={email} onSignedIn={onSignedIn} />
    </Modal>
  );
}

const activeOrganization = ({ organizationId, blocked }: Pick<Me, "organizationId" | "blocked">) =>
  organizationId ?? blocked?.organizationId ?? null;

/** A new session is in the user's first organization. Switches it to the one that the page shows. */
async function returnToOrganization({ user, organizationId }: Me): Promise<void> {
  const me = await api.me.get.query();
  if (me.user.id !== user.id || organizationId === null || organizationId === me.organizationId) return;
  const isMember = me.memberships.some((one) => one.organizationId === organizationId);
  if (isMember) await api.me.switchOrganization.mutate({ organizationId });
}
