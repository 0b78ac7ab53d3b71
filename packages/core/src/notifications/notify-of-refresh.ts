import type { Tx } from "@querybell/db";
import { type NotifyDeps, notifyPeople, type Recipient } from "./notify-people.ts";

interface FailingDashboard {
  id: string;
  organizationId: string;
  title: string;
  createdBy: string;
  refreshOwnerId: string | null;
}

/** Tells who made a dashboard, and who set its schedule, that its refreshes by schedule fail. */
export async function notifyOfRefresh(
  deps: NotifyDeps,
  dashboard: FailingDashboard,
  reason: string,
): Promise<void> {
  const { id: dashboardId, organizationId, title } = dashboard;
  // A subject must be one line.
  const name = title.replaceAll(/\s+/g, " ");
  await notifyPeople(deps, await findRecipients(deps.tx, dashboard), {
    organizationId,
    kind: "dashboard_refresh_failed",
    detail: { dashboardId, title, reason },
    mail: {
      subject: `${name}: the refresh failed`,
      text: `The dashboard "${name}" could not be refreshed as scheduled. ${reason}

The dashboard: ${deps.deployment.publicUrl}/dashboards/${dashboardId}

You are not told again until a refresh by schedule has succeeded. To stop mails like this one:
${deps.deployment.publicUrl}/account/notifications
`,
    },
  });
}

/** Only members who see the dashboard. */
const findRecipients = (
  tx: Tx,
  { id, organizationId, createdBy, refreshOwnerId }: FailingDashboard,
): Promise<Recipient[]> => tx.$queryRaw<Recipient[]>`
  SELECT u.id AS "userId", u.email, coalesce(p.in_app, true) AS "inApp", coalesce(p.by_mail, true) AS "byMail"
  FROM members m JOIN users u ON u.id = m.user_id
    LEFT JOIN notification_preferences p ON p.user_id = u.id AND p.kind = 'dashboard_refresh_failed'
    LEFT JOIN LATERAL querybell_rights(m.organization_id, m.user_id) AS mine ON true
  WHERE m.organization_id = ${organizationId}::uuid AND m.user_id IN (${createdBy}::uuid, ${refreshOwnerId}::uuid)
    AND u.disabled_at IS NULL AND (mine.folders IS NULL OR sees_dashboard(${id}::uuid, m.user_id, mine.folders))
  ORDER BY u.id`;
