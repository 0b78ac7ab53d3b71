import { Button, Group, Paper, Text, Title } from "@mantine/core";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { SampleShopProgress } from "./sample-shop-progress.tsx";
import { useSampleShop } from "./use-sample-shop.ts";

interface SampleShopOfferProps {
  isAdmin: boolean;
  /** Whether the organization has a database. */
  hasDatabase: boolean;
}

/** On the start page of an organization without data: offers an admin the sample shop, and shows how far it is. */
export function SampleShopOffer({ isAdmin, hasDatabase }: SampleShopOfferProps) {
  const { shop, error, create } = useSampleShop({ enabled: isAdmin });
  const isShown = isAdmin && shop !== undefined && (shop ? shop.state !== "ready" : !hasDatabase);
  if (!isShown) return null;
  const isWaiting = shop?.state === "creating" || shop?.state === "removing";
  return (
    <Paper withBorder p="lg" mb="lg" component="section" aria-labelledby="sample-shop">
      <Title order={2} size="h4" id="sample-shop" mb="xs">
        Nothing to try yet?
      </Title>
      {error && <ErrorNotice error={error} />}
      {isWaiting && <SampleShopProgress shop={shop} />}
      {!isWaiting && (
        <Group justify="space-between" gap="sm">
          <Text maw="40rem">
            {shop?.state === "failed"
              ? "The sample shop could not be created. What is there already stays; trying again continues."
              : "Fill this organization with a sample shop: a database with two years of orders, eight queries with charts, and an automation. You can remove it at any time in the settings."}
          </Text>
          <Button
            variant="default"
            aria-disabled={create.isPending}
            onClick={() => !create.isPending && create.mutate()}
          >
            {shop?.state === "failed" ? "Try again" : "Add the sample shop"}
          </Button>
        </Group>
      )}
    </Paper>
  );
}
