import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { useSession } from "../../session/me.ts";
import { Section } from "../../ui/section.tsx";
import { linkProvider } from "./account.ts";

/** Links the account to a person at the organization's provider. Only the account's owner can agree to that. */
export function ConnectedProvider() {
  const { organization } = useSession();
  const link = useMutation({ mutationFn: linkProvider });
  if (!organization) return null;
  return (
    <Section
      title="Single sign-on"
      description={`If ${organization.name} has a provider of identities, you can connect your account with it. From then on it signs you in, to this organization only.`}
    >
      {link.error && <ErrorNotice error={link.error} />}
      <Button variant="default" onClick={() => link.mutate(organization.slug)}>
        Connect with the provider
      </Button>
    </Section>
  );
}
