import type { Outputs } from "@querybell/client";
import { chatHref, endpointHref } from "../format/addresses.ts";
import { failureText } from "../runs/run-state.tsx";

export type Notification = Outputs["notifications"]["list"]["items"][number];

interface NotificationText {
  title: string;
  detail: string;
  /** The subject. */
  href: string;
}

/** The text of a notification and the address of its subject. */
export function notificationText({ kind, detail }: Notification): NotificationText {
  switch (kind) {
    case "webhook_endpoint_failing":
      return {
        title: "A webhook endpoint is failing",
        detail: `Every attempt of ${detail.failures} events in a row failed at ${detail.url}.`,
        href: endpointHref(detail.endpointId),
      };
    case "webhook_endpoint_disabled":
      return {
        title: "A webhook endpoint was disabled",
        detail: `${detail.failures} events in a row failed at ${detail.url}. New deliveries are held until it is enabled.`,
        href: endpointHref(detail.endpointId),
      };
    case "automation_run_failed":
      return {
        title: `${detail.automationName} ${detail.failure.code === "stopped" ? "was stopped" : "failed"}`,
        detail: failureText(detail.failure),
        href: chatHref(detail.shortId),
      };
    case "automation_summary":
      return {
        title: `${detail.automationName} has a summary${detail.isUnchecked ? ", not checked by Querybell" : ""}`,
        detail: detail.summary,
        href: chatHref(detail.shortId),
      };
  }
}
