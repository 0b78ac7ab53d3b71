import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { Section } from "../../ui/section.tsx";
import { SampleShopProgress } from "./sample-shop-progress.tsx";
import { useSampleShop } from "./use-sample-shop.ts";

/** The settings of the sample shop: adds and removes it. */
export function SampleShopSection() {
  const { shop, error, create, remove } = useSampleShop({ enabled: true });
  const [isRemoving, setIsRemoving] = useState(false);
  const isWaiting = shop?.state === "creating" || shop?.state === "removing";
  const canCreate = shop === null || shop?.state === "failed";
  return (
    <Section
      title="Sample shop"
      description="A database with two years of orders, eight queries with charts, and an automation: to try Querybell without your own data."
    >
      {error && <ErrorNotice error={error} />}
      {isWaiting && <SampleShopProgress shop={shop} />}
      {shop?.state === "failed" && <Text mb="sm">It could not be created. Trying again continues.</Text>}
      {!isWaiting && (
        <Group gap="xs">
          {canCreate && (
            <Button
              variant="default"
              aria-disabled={create.isPending}
              onClick={() => !create.isPending && create.mutate()}
            >
              {shop ? "Try again" : "Add the sample shop"}
            </Button>
          )}
          {shop && (
            <Button variant="default" onClick={() => setIsRemoving(true)}>
              Remove the sample shop
            </Button>
          )}
        </Group>
      )}
      <ConfirmModal
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        title="Remove the sample shop?"
        action="Remove it"
        onConfirm={() => remove.mutateAsync()}
      >
        <Text>
          Its database, its automation and its eight queries are deleted, with every chart of them, also those
          that people have added or changed. Queries that people wrote on its database stay, but cannot run
          any more. This cannot be undone.
        </Text>
      </ConfirmModal>
    </Section>
  );
}
