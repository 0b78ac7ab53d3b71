import { PasswordInput } from "@mantine/core";
import { buildInfo } from "../../app/build-info.ts";

// Validators of form fields: the error message, or undefined if the value is valid.

export const required =
  (label: string) =>
  (value: string): string | undefined =>
    value.trim() === "" ? `${label} is required.` : undefined;

export const emailAddress = (value: string): string | undefined =>
  required("Email address")(value) ??
  (/^[^\s@]+@\S+$/.test(value.trim()) ? undefined : "Give an email address, like ada@example.com.");

export const newPassword = (value: string): string | undefined => {
  if (value === "") return "Password is required.";
  const { shortestPassword, longestPassword } = buildInfo;
  if (value.length < shortestPassword) return `Use at least ${shortestPassword} characters.`;
  return value.length > longestPassword ? `Use at most ${longestPassword} characters.` : undefined;
};

const newPasswordHint = `At least ${buildInfo.shortestPassword} characters. A few words you will remember make a good one.`;

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
