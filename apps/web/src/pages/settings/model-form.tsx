import {
  Button,
  Checkbox,
  Group,
  NumberInput,
  PasswordInput,
  Radio,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Inputs, Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { toFailure, toFormFailure } from "../../errors/failure.ts";
import { ActionForm } from "../../ui/action-form.tsx";
import classes from "./tested-connection.module.css";

export type SavedModel = Outputs["models"]["get"];

interface ModelValues {
  source: "organization" | "operator";
  url: string;
  name: string;
  apiKey: string;
  monthlyTokens: number | string;
  consent: boolean;
}

const valuesOf = ({ source, url, name, operatorModel, monthlyTokens }: SavedModel): ModelValues => ({
  source: source ?? (operatorModel ? "operator" : "organization"),
  url: source === "organization" ? (url ?? "") : "",
  name: source === "organization" ? (name ?? "") : "",
  apiKey: "",
  monthlyTokens,
  consent: false,
});

/** The connection as the api takes it. An empty key leaves the saved one in place. */
const connectionOf = ({ source, url, name, apiKey }: ModelValues): Inputs["models"]["test"]["connection"] =>
  source === "operator" ? null : { url: url.trim(), name: name.trim(), ...(apiKey !== "" && { apiKey }) };

/** The form of a model's server, with a connection test and the consent to send data to it. */
export function ModelForm({ saved }: { saved: SavedModel }) {
  const form = useForm<ModelValues>({
    initialValues: valuesOf(saved),
    validate: {
      url: (url, { source }) =>
        source === "organization" && url.trim() === "" ? "Enter the server's URL." : null,
      name: (name, { source }) =>
        source === "organization" && name.trim() === "" ? "Enter the model's name." : null,
      monthlyTokens: (tokens) => (tokens === "" ? "Enter a number, or 0 for none." : null),
      consent: (consent) => (consent ? null : "Without consent, no data may be sent to a model."),
    },
  });
  const { source, url } = form.values;
  const test = useMutation({
    mutationFn: () => api.models.test.mutate({ connection: connectionOf(form.values) }),
  });
  const server = source === "operator" ? saved.operatorModel?.url : url.trim();
  const save = async (values: ModelValues) => {
    await api.models.update
      .mutate({
        connection: connectionOf(values),
        monthlyTokens: Number(values.monthlyTokens),
        consent: true,
      })
      .catch((error: unknown) =>
        Promise.reject(toFormFailure(error, (path) => path.replace(/^connection\./, ""))),
      );
    await queryClient.invalidateQueries(trpc.models.pathFilter());
    notifications.show({ message: "The model is saved. Automations can use it now." });
  };
  return (
    <ActionForm form={form} submit={{ label: "Save the model", busy: "Saving it…" }} onSubmit={save}>
      <Stack maw="44rem" mb="lg">
        {saved.operatorModel && (
          <Radio.Group label="Which model" {...form.getInputProps("source")}>
            <Stack gap="xs" mt={4}>
              <Radio
                value="operator"
                label={`${saved.operatorModel.name}, set up by the operator`}
                description={saved.operatorModel.url}
              />
              <Radio value="organization" label="Our own model" />
            </Stack>
          </Radio.Group>
        )}
        {source === "organization" && (
          <>
            <TextInput
              label="URL"
              description="The part before /chat/completions, like https://models.example.com/v1."
              {...form.getInputProps("url")}
            />
            <TextInput
              label="Model"
              description="The name of the model on that server."
              maxLength={200}
              {...form.getInputProps("name")}
            />
            <PasswordInput
              label="API key"
              description={
                saved.hasApiKey
                  ? "The saved key stays if this is left empty and the URL is not changed."
                  : "Leave it empty if the server needs none."
              }
              autoComplete="off"
              {...form.getInputProps("apiKey")}
            />
          </>
        )}
        <Group>
          <Button
            variant="default"
            aria-disabled={test.isPending}
            onClick={() => {
              if (!test.isPending) test.mutate();
            }}
          >
            {test.isPending ? "Asking it…" : "Test the model"}
          </Button>
          <div role="status" className={classes.outcome}>
            {test.data && !test.isPending && (
              <Text size="sm" className={classes.good ?? ""}>
                It works. It answered: {test.data.text}
              </Text>
            )}
            {test.error && !test.isPending && (
              <Text size="sm" className={classes.bad ?? ""}>
                {toFailure(test.error).message}
              </Text>
            )}
          </div>
        </Group>
        <NumberInput
          label="Tokens a month"
          description="For automations and help with SQL together, counted by calendar month (UTC). What goes beyond it fails."
          min={0}
          max={1_000_000_000}
          step={100_000}
          thousandSeparator=","
          maw="16rem"
          {...form.getInputProps("monthlyTokens")}
        />
        <Checkbox
          label={`Rows of our results may be sent to ${server || "this server"}. They may hold personal data.`}
          {...form.getInputProps("consent", { type: "checkbox" })}
        />
      </Stack>
    </ActionForm>
  );
}
