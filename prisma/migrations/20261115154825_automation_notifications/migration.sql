-- CreateTable
CREATE TABLE "automation_subscribers" (
    "automation_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "in_app" BOOLEAN NOT NULL,
    "by_mail" BOOLEAN NOT NULL,
    "on_failure" BOOLEAN NOT NULL,
    "on_summary" BOOLEAN NOT NULL,

    CONSTRAINT "automation_subscribers_pkey" PRIMARY KEY ("automation_id","user_id")
);

-- CreateTable
CREATE TABLE "notification_preferences" (
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "in_app" BOOLEAN NOT NULL,
    "by_mail" BOOLEAN NOT NULL,

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("user_id","kind")
);

-- CreateIndex
CREATE INDEX "automation_subscribers_organization_id_user_id_idx" ON "automation_subscribers"("organization_id", "user_id");

-- AddForeignKey
ALTER TABLE "automation_subscribers" ADD CONSTRAINT "automation_subscribers_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_subscribers" ADD CONSTRAINT "automation_subscribers_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

ALTER TABLE "automation_subscribers" ADD CONSTRAINT "automation_subscribers_told" CHECK (("in_app" OR "by_mail") AND ("on_failure" OR "on_summary"));
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind" CHECK ("kind" IN ('automation_run_failed', 'automation_summary'));

-- However often the end of a run were written: each person is told of it once.
CREATE UNIQUE INDEX "notifications_automation_run_key" ON "notifications" ("user_id", ("detail" ->> 'runId')) WHERE "kind" IN ('automation_run_failed', 'automation_summary');
