import { Alert, Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ActionForm } from "../../ui/action-form.tsx";
import { readDeploymentProvider, startSingleSignOn } from "./account.ts";
import { emailAddress } from "./validators.tsx";

const problems: Record<string, string> = {
  expired: "The sign-in took too long, or was begun in another browser. Begin again.",
  failed:
    "The provider did not sign you in. Try again; if that does not help, tell an admin of your organization.",
  unproven:
    "The provider names an address that your organization has not proven to own. Sign in with your password, then connect the provider in your account.",
  removed: "You are not a member of the organization any more. Ask one of its admins for an invitation.",
  disabled: "Your account is disabled. Ask the operator of this installation.",
};

/** Why a sign-in through a provider was refused. */
export const ProviderProblem = ({ problem }: { problem: string }) => (
  <Alert color="red" mb="md" role="alert" title="Not signed in">
    {problems[problem] ?? problems.failed}
  </Alert>
);

/** Signs in through a provider: the operator's, or the one of the address's organization. */
export function ProviderSignIn({ to }: { to: string }) {
  const [asksForAddress, setAsksForAddress] = useState(false);
  const { data } = useQuery({ queryKey: ["deployment provider"], queryFn: readDeploymentProvider });
  const name = data?.name ?? null;
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: "" },
    validate: { email: emailAddress },
  });
  if (asksForAddress) {
    return (
      <ActionForm
        form={form}
        submit={{ label: "Continue to your provider", busy: "Finding it…", fullWidth: true }}
        onSubmit={({ email }) => startSingleSignOn({ email: email.trim(), to })}
      >
        <TextInput
          label="Email address of your organization"
          type="email"
          autoComplete="username"
          autoFocus
          my="md"
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
      </ActionForm>
    );
  }
  return (
    <>
      {name !== null && (
        <Button variant="default" fullWidth mt="sm" onClick={() => void startSingleSignOn({ to })}>
          Sign in with {name}
        </Button>
      )}
      <Button variant="default" fullWidth mt="sm" onClick={() => setAsksForAddress(true)}>
        Use single sign-on
      </Button>
    </>
  );
}
