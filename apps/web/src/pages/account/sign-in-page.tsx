import { Paper, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { queryClient } from "../../api.ts";
import { reportSignedIn } from "../../frame/connection.ts";
import { meOptions } from "../../session/me.ts";
import { AnchorTo } from "../../ui/links.tsx";
import { ServiceStatus } from "./service-status.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import classes from "./sign-in-page.module.css";
import { signInRoute } from "./sign-in-route.ts";

export function SignInPage() {
  const router = useRouter();
  const { to = "/" } = signInRoute.useSearch();
  useDocumentTitle("Sign in · Querybell");
  const openPage = async () => {
    await queryClient.fetchQuery({ ...meOptions, staleTime: 0 });
    reportSignedIn();
    await router.navigate({ href: to, replace: true });
  };
  return (
    <div className={classes.columns}>
      <section className={classes.introduction}>
        <h1>Saved SQL that rings when it is done.</h1>
        <p className={classes.lead}>
          Querybell keeps your team’s SQL queries, runs them, caches their results and shares them by
          permalink. When an automation’s run ends, it sends your systems a signed webhook.
        </p>
        <p>
          <a href="/docs/">Read the docs</a>
        </p>
      </section>
      <div>
        <Paper component="section" aria-labelledby="sign-in" withBorder shadow="sm" radius="lg" p="xl">
          <Title order={2} size="h3" mb="md" id="sign-in">
            Sign in
          </Title>
          {to !== "/" && <Text mb="md">Sign in to open this page. You are brought back to it.</Text>}
          <SignInForm label="Sign in" onSignedIn={openPage} />
          <Text mt="md">
            <AnchorTo to="/forgot-password">Forgot password?</AnchorTo>
          </Text>
          <Text size="sm" c="dimmed" mt="sm">
            People join by invitation. Ask an admin of your organization for a link.
          </Text>
        </Paper>
        <ServiceStatus />
      </div>
    </div>
  );
}
