import { Checkbox, NativeSelect, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { isSameJson } from "@querybell/domain/same-json";
import { useQuery } from "@tanstack/react-query";
import { api } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { ActionForm } from "../ui/action-form.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ChoiceFields, choicesProblem, toPublishedChoices, toTypedChoices } from "./choice-fields.tsx";
import { expiries, passwordProblem, toExpiry } from "./link-choices.ts";
import { linksOptions } from "./public-link-dialog.tsx";
import { type PublicLink, refreshPublicLinks } from "./public-link-item.tsx";

interface ChangeLinkDialogProps {
  link: PublicLink;
  onClose: () => void;
}

const keep = "keep";

/** Changes when a link expires, its password, what visitors choose, and whether it follows newer results. The address stays. */
export function ChangeLinkDialog({ link, onClose }: ChangeLinkDialogProps) {
  const { id, item, hasPassword, isFollowing } = link;
  const { data, error } = useQuery(linksOptions({ kind: item.kind, id: item.id }));
  const choices = toTypedChoices(link.choices);
  const form = useForm({
    initialValues: { expiry: keep, passwordChoice: keep, password: "", isFollowing, choices },
    validate: {
      choices: choicesProblem,
      password: (text, { passwordChoice }) =>
        passwordChoice !== "new" ? null : text === "" ? "Give a password." : passwordProblem(text),
    },
  });
  const { passwordChoice } = form.values;
  const hasChoices = Object.keys(form.values.choices).length > 0;
  return (
    <Dialog onClose={onClose} title="Change the public link">
      <ActionForm
        form={form}
        submit={{ label: "Change the link", busy: "Changing it…" }}
        onSubmit={async (values) => {
          await api.publicLinks.update.mutate({
            id,
            ...(values.expiry !== keep && { expiresAt: toExpiry(values.expiry) }),
            ...(values.passwordChoice === "new" && { password: values.password }),
            ...(values.passwordChoice === "none" && { password: null }),
            ...(!hasChoices && values.isFollowing !== isFollowing && { isFollowing: values.isFollowing }),
            ...(hasChoices && !isFollowing && { isFollowing: true }),
            ...(!isSameJson(values.choices, choices) && { choices: toPublishedChoices(values.choices) }),
          });
          await refreshPublicLinks();
          onClose();
        }}
      >
        <Stack mb="md">
          <NativeSelect
            label="Expires"
            data={[{ value: keep, label: "As it is" }, ...expiries]}
            {...form.getInputProps("expiry")}
          />
          <NativeSelect
            label="Password"
            description="Visitors who are in already enter a new one again."
            data={[
              { value: keep, label: hasPassword ? "Keep it" : "Without one" },
              { value: "new", label: hasPassword ? "Another one" : "Ask for one" },
              ...(hasPassword ? [{ value: "none", label: "Remove it: the link alone opens the page" }] : []),
            ]}
            {...form.getInputProps("passwordChoice")}
          />
          {passwordChoice === "new" && (
            <PasswordInput
              label="New password"
              maxLength={200}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
              {...form.getInputProps("password")}
            />
          )}
          {error && <ErrorNotice error={error} />}
          {data && (
            <ChoiceFields
              inputs={data.inputs}
              value={form.values.choices}
              error={typeof form.errors.choices === "string" ? form.errors.choices : null}
              onChange={(changed) => form.setFieldValue("choices", changed)}
            />
          )}
          {!hasChoices && (
            <Checkbox
              label="Follow newer results"
              {...form.getInputProps("isFollowing", { type: "checkbox" })}
            />
          )}
        </Stack>
      </ActionForm>
    </Dialog>
  );
}
