import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { meOptions } from "../../components/me.ts";
import { Timestamp } from "../../components/timestamp.tsx";
import { CardPage } from "./card-page.tsx";
import { JoinForm, JoinWithNewAccount, type OpenInvitation } from "./join-forms.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { useToken } from "./token.ts";

const roles: Record<OpenInvitation["role"], string> = {
  owner: "an owner",
  admin: "an admin",
  member: "a member",
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
  if (error) {
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
  if (!invitation.hasAccount) return <JoinWithNewAccount token={token} email={invitation.email} />;
  if (me?.user.email === invitation.email) return <JoinForm token={token} />;
  return (
    <>
      {me && <Text mb="md">You are signed in as {me.user.email}. Signing in below changes that.</Text>}
      <SignInForm
        label="Sign in and join"
        email={invitation.email}
        onSignedIn={async () => {
          await api.invitations.accept.mutate({ token });
          location.assign("/");
        }}
      />
    </>
  );
}
