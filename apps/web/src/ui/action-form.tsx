import { Button, type ButtonProps } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { toFailure } from "../errors/failure.ts";

interface ActionFormProps<Values extends object> {
  form: UseFormReturnType<Values>;
  onSubmit: (values: Values) => Promise<unknown>;
  submit: { label: string; busy: string } & Pick<ButtonProps, "fullWidth">;
  /** The fields. */
  children?: ReactNode;
}

/**
 * A form that shows errors at their fields and focuses the first one; what they do not say is shown above the button. The
 * input is kept. The button is never disabled, because a disabled button loses the focus.
 */
export function ActionForm<Values extends object>({
  form,
  onSubmit,
  submit,
  children,
}: ActionFormProps<Values>) {
  /** An error that says more than is shown at the fields. */
  const [error, setError] = useState<unknown>();
  const focusFirst = (errors: object) => {
    const [first] = Object.keys(errors);
    if (first !== undefined) form.getInputNode(first)?.focus();
  };
  const action = useMutation({
    mutationFn: onSubmit,
    onMutate: () => setError(undefined),
    onError: (refused) => {
      const { fields, repeatsFields } = toFailure(refused);
      const shown = showAtFields(form, fields);
      if (shown.length < Object.keys(fields).length || !repeatsFields) setError(refused);
      else focusFirst(fields);
    },
  });
  const { fullWidth = false } = submit;
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        if (!action.isPending) action.mutate(values);
      }, focusFirst)}
    >
      {children}
      {error !== undefined && <ErrorNotice error={error} />}
      <Button
        type="submit"
        fullWidth={fullWidth}
        aria-disabled={action.isPending}
        data-busy={action.isPending}
      >
        {action.isPending ? submit.busy : submit.label}
      </Button>
    </form>
  );
}

/** Shows errors at those of the form's fields that are on the page. Returns the paths of these. */
export function showAtFields<Values extends object>(
  form: UseFormReturnType<Values>,
  fields: Record<string, string>,
): string[] {
  const known = Object.entries(fields).filter(([path]) => form.getInputNode(path) !== null);
  if (known.length > 0) form.setErrors(Object.fromEntries(known));
  return known.map(([path]) => path);
}
