import { Button, Checkbox, Modal, NativeSelect, PasswordInput, Skeleton, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ParameterInputs } from "@querybell/domain";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import type { NamedItem } from "../library/items.ts";
import { useMe } from "../session/me.ts";
import { ActionForm } from "../ui/action-form.tsx";
import { ShownOnce } from "../ui/copyable.tsx";
import { ItemList } from "../ui/item-list.tsx";
import { AnchorTo } from "../ui/links.tsx";
import { ChoiceFields, choicesProblem, type TypedChoices, toPublishedChoices } from "./choice-fields.tsx";
import { expiries, passwordProblem, toExpiry } from "./link-choices.ts";
import { PublicLinkItem, refreshPublicLinks } from "./public-link-item.tsx";

interface PublicLinkDialogProps {
  item: Pick<NamedItem, "id" | "title"> & { kind: "reference" | "dashboard" };
  opened: boolean;
  onClose: () => void;
}

/** Publishes a chart or a dashboard, and shows the links that it has. */
export function PublicLinkDialog({ item, opened, onClose }: PublicLinkDialogProps) {
  const [url, setUrl] = useState<string>();
  const close = () => {
    setUrl(undefined);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={`Public links to “${item.title}”`}
      size="lg"
      closeOnClickOutside={url === undefined}
    >
      {url === undefined ? (
        <Links item={item} onAddress={setUrl} />
      ) : (
        <NewAddress url={url} onClose={close} />
      )}
    </Modal>
  );
}

export const NewAddress = ({ url, onClose }: { url: string; onClose: () => void }) => (
  <>
    <ShownOnce title="Copy the link now: it is not shown again" value={url} what="the public link">
      Anybody who has it can open the page.
    </ShownOnce>
    <Button onClick={onClose}>I have copied it</Button>
  </>
);

/** Followed while pages are being computed. */
export const linksOptions = (item: { kind: "reference" | "dashboard"; id: string }) =>
  trpc.publicLinks.listOf.queryOptions(item, {
    refetchInterval: ({ state }) =>
      state.data?.links.some(({ pagesMade, pagesTotal }) => pagesMade < pagesTotal) ? 3_000 : false,
  });

interface LinksProps extends Pick<PublicLinkDialogProps, "item"> {
  onAddress: (url: string) => void;
}

function Links({ item: { kind, id }, onAddress }: LinksProps) {
  const { data, error, refetch } = useQuery(linksOptions({ kind, id }));
  const { isAdmin } = useMe();
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={220} />;
  if (!data.isServed) {
    return <Text>This deployment serves no public pages. Its operator can turn them on.</Text>;
  }
  return (
    <Stack>
      {data.links.length > 0 && (
        <ItemList label="Public links">
          {data.links.map((link, at) => {
            const name = `Link ${data.links.length - at}`;
            return (
              <PublicLinkItem key={link.id} link={link} title={name} name={name} onAddress={onAddress} />
            );
          })}
        </ItemList>
      )}
      {data.isAllowed ? (
        <NewLink item={{ kind, id }} inputs={data.inputs} onAddress={onAddress} />
      ) : (
        <Text>
          Public links are off in this organization.{" "}
          {isAdmin ? (
            <AnchorTo to="/settings/public-links">Allow them in the settings</AnchorTo>
          ) : (
            "An admin can allow them."
          )}
        </Text>
      )}
    </Stack>
  );
}

interface NewLinkProps extends Pick<LinksProps, "onAddress"> {
  item: { kind: "reference" | "dashboard"; id: string };
  inputs: ParameterInputs;
}

const noChoices: TypedChoices = {};

function NewLink({ item, inputs, onAddress }: NewLinkProps) {
  const form = useForm({
    initialValues: { expiry: "30", password: "", isFollowing: true, choices: noChoices },
    validate: {
      password: (text) => (text === "" ? null : passwordProblem(text)),
      choices: choicesProblem,
    },
  });
  const hasChoices = Object.keys(form.values.choices).length > 0;
  return (
    <ActionForm
      form={form}
      submit={{ label: "Create a public link", busy: "Drawing the page…" }}
      onSubmit={async ({ expiry, password, isFollowing, choices }) => {
        const { url } = await api.publicLinks.create.mutate({
          item,
          isFollowing: isFollowing || hasChoices,
          choices: toPublishedChoices(choices),
          password: password === "" ? null : password,
          expiresAt: toExpiry(expiry),
        });
        onAddress(url);
        await refreshPublicLinks();
      }}
    >
      <Stack mb="md">
        <Text size="sm" c="dimmed">
          Anybody with the link sees a copy of what is stored now: pictures of the charts, and the rows of
          tables. Visitors never run a query.
        </Text>
        <NativeSelect label="Expires" data={expiries} {...form.getInputProps("expiry")} />
        <PasswordInput
          label="Password"
          description="Without one, the link alone opens the page."
          maxLength={200}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
          {...form.getInputProps("password")}
        />
        <ChoiceFields
          inputs={inputs}
          value={form.values.choices}
          error={typeof form.errors.choices === "string" ? form.errors.choices : null}
          onChange={(choices) => form.setFieldValue("choices", choices)}
        />
        {!hasChoices && (
          <Checkbox
            label="Follow newer results"
            description="The page changes when the dashboard is refreshed, by somebody or its schedule, or the chart runs with its defaults."
            {...form.getInputProps("isFollowing", { type: "checkbox" })}
          />
        )}
      </Stack>
    </ActionForm>
  );
}
