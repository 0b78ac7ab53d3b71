import { PasswordInput } from "@mantine/core";
import { newPasswordHint } from "./validators.ts";

interface NewPasswordFieldProps {
  label: string;
  inputProps: object;
}

export const NewPasswordField = ({ label, inputProps }: NewPasswordFieldProps) => (
  <PasswordInput
    label={label}
    description={newPasswordHint}
    autoComplete="new-password"
    mb="md"
    visibilityToggleButtonProps={{ "aria-label": "Show password", tabIndex: 0 }}
    {...inputProps}
  />
);
