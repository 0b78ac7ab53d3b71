import { Anchor, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { meOptions } from "../../session/me.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { signIn } from "./account.ts";
import { CardPage } from "./card-page.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { useToken } from "./token.ts";
import { NewPasswordField, newPassword, required } from "./validators.tsx";

const roles: Record<OpenInvitation["role"], string> = {
  owner: "an owner",
  admin: "an admin",
  member: "a member",
  viewer: "a viewer",
};

export function InvitationPage() {
  const token = useToken();
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => api.invitations.find.mutate({ token }),
    enabled: token !== "",
  });
  if (token === "") {
    return (
      <CardPage title="This link is incomplete">
        <Text>Copy the whole link, up to and including what follows the #, or ask for a new invitation.</Text>
      </CardPage>
    );
  }
  if (error && !data) {
    return (
      <CardPage title="This did not work">
        <ErrorNotice error={error} onRetry={refetch} />
      </CardPage>
    );
  }
  if (!data) {
    return (
      <CardPage title="An invitation">
        <Skeleton height={180} />
      </CardPage>
    );
  }
  return (
    <CardPage title={`Join ${data.organizationName}`}>
      <Text mb="md">
        You are invited to {data.organizationName} on Querybell as {roles[data.role]}. The invitation is for{" "}
        <strong>{data.email}</strong> and ends on <Timestamp at={data.expiresAt} format="date" />.
      </Text>
      <WaysToAccept invitation={data} token={token} />
    </CardPage>
  );
}

function WaysToAccept({ invitation, token }: { invitation: OpenInvitation; token: string }) {
  const { data: me } = useQuery(meOptions);
  const { email, account } = invitation;
  const [isNew, setNew] = useState(account === "none" || account === "unknown");
  // Whoever set the password so far may be somebody else, also if they are signed in here.
  if (account === "unverified") return <JoinWithNewPassword token={token} email={email} />;
  if (me?.user.email === email) return <JoinForm token={token} label="Join" />;
  return (
    <>
      {me && (
        <Stack mb="lg" gap="xs">
          <Text>You are signed in as {me.user.email}. You can join with that account:</Text>
          <JoinForm token={token} label={`Join as ${me.user.email}`} />
          <Text mt="xs">Or join as {email}:</Text>
        </Stack>
      )}
      {isNew ? (
        <JoinWithNewAccount token={token} email={email} />
      ) : (
        <SignInForm
          label="Sign in and join"
          email={email}
          onSignedIn={async () => {
            await api.invitations.accept.mutate({ token });
            location.assign("/");
          }}
        />
      )}
      {account === "unknown" && (
        <Anchor component="button" type="button" mt="md" onClick={() => setNew(!isNew)}>
          {isNew ? `${email} has an account: sign in` : "No account yet: create one"}
        </Anchor>
      )}
    </>
  );
}

/** For an address whose account was created with a link that did not prove it. */
function JoinWithNewPassword({ token, email }: { token: string; email: string }) {
  return (
    <>
      <Text mb="md">
        {email} has an account, and this link proves that it is yours. Choose a new password for it: everybody
        who is signed in to it is signed out, and its API keys are revoked.
      </Text>
      <JoinWithNewAccount token={token} email={email} label="Set the password and join" />
    </>
  );
}

type OpenInvitation = Outputs["invitations"]["find"];

interface JoinWithNewAccountProps {
  token: string;
  email: string;
  label?: string;
}

/** For a person without an account: creates it with a name and a password. */
function JoinWithNewAccount({ token, email, label = "Create account and join" }: JoinWithNewAccountProps) {
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: "", password: "" },
    validate: { name: required("Your name"), password: newPassword },
  });
  return (
    <ActionForm
      form={form}
      submit={{ label, busy: "Joining…", fullWidth: true }}
      onSubmit={async (account) => {
        await api.invitations.accept.mutate({ token, account });
        // The account exists now. If signing in fails, the user can sign in again.
        await signIn({ email, password: account.password }).catch(() => undefined);
        location.assign("/");
      }}
    >
      <TextInput
        label="Your name"
        autoComplete="name"
        maxLength={100}
        mb="md"
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <NewPasswordField
        label="Password"
        key={form.key("password")}
        inputProps={form.getInputProps("password")}
      />
    </ActionForm>
  );
}

/** For a signed-in user. */
function JoinForm({ token, label }: { token: string; label: string }) {
  const form = useForm({ mode: "uncontrolled", initialValues: {} });
  return (
    <ActionForm
      form={form}
      submit={{ label, busy: "Joining…", fullWidth: true }}
      onSubmit={async () => {
        await api.invitations.accept.mutate({ token });
        location.assign("/");
      }}
    />
  );
}
