import { Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "../api.ts";
import { meOptions, useSession } from "../components/me.ts";
import { SignInForm } from "../pages/account/sign-in-form.tsx";
import { reportSignedIn, useConnection } from "./connection.ts";

/** A dialog to sign in again. The page stays open below it, so that typed text is not lost. */
export function SessionEnded() {
  const session = useSession();
  const { data: me } = useQuery(meOptions);
  const isEnded = useConnection() === "signed-out" || me === null;

  // In another tab, another user has signed in or the organization was switched, so this page must be reloaded.
  const isOther = Boolean(
    me && (me.user.id !== session.user.id || me.organizationId !== session.organizationId),
  );
  useEffect(() => {
    if (isOther) location.assign("/");
  }, [isOther]);

  const openPage = async () => {
    await queryClient.fetchQuery({ ...meOptions, staleTime: 0 });
    reportSignedIn();
    await queryClient.invalidateQueries();
  };
  return (
    <Modal
      opened={isEnded}
      onClose={() => location.assign("/sign-in")}
      title="Sign in again"
      closeOnClickOutside={false}
    >
      <Text mb="md">Your session has ended. This page stays as it is while you sign in.</Text>
      <SignInForm label="Sign in" email={session.user.email} onSignedIn={openPage} />
    </Modal>
  );
}
