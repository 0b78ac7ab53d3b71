import { Button, Divider, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Inputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { ActionForm } from "../ui/action-form.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { endConfirmation } from "./confirmation.ts";
import { answerWithPasskey } from "./passkeys.ts";

type Credential = Inputs["secondFactor"]["confirmWithPasskey"]["credential"];

/** Asks for the second factor before a dangerous act. */
export function ConfirmDialog() {
  const { data: factors } = useQuery(trpc.secondFactor.get.queryOptions());
  const withPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await api.secondFactor.startConfirm.mutate();
      await api.secondFactor.confirmWithPasskey.mutate({
        credential: await answerWithPasskey<Credential>(options),
      });
      endConfirmation(true);
    },
  });
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { code: "" },
    validate: { code: (code) => (code.trim() === "" ? "Enter a code." : null) },
  });
  const hasPasskey = (factors?.passkeys.length ?? 0) > 0;
  return (
    <Dialog onClose={() => endConfirmation(false)} title="Confirm that it is you">
      <Text mb="md">This needs your second factor again. It is then valid for ten minutes.</Text>
      {hasPasskey && (
        <>
          {withPasskey.error && <ErrorNotice error={withPasskey.error} />}
          <Button fullWidth onClick={() => withPasskey.mutate()} aria-disabled={withPasskey.isPending}>
            Use a passkey
          </Button>
          <Divider my="md" label="or" />
        </>
      )}
      <ActionForm
        form={form}
        submit={{ label: "Confirm with the code", busy: "Checking it…", fullWidth: true }}
        onSubmit={async ({ code }) => {
          await api.secondFactor.confirm.mutate({ code });
          endConfirmation(true);
        }}
      >
        <TextInput
          label={factors?.totpSince ? "Code of your app, or a recovery code" : "Recovery code"}
          autoComplete="one-time-code"
          data-autofocus={!hasPasskey || undefined}
          mb="md"
          key={form.key("code")}
          {...form.getInputProps("code")}
        />
      </ActionForm>
    </Dialog>
  );
}
