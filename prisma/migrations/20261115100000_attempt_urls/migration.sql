-- AlterTable
ALTER TABLE "webhook_attempts" ADD COLUMN     "url" TEXT;

-- From here on by hand: earlier attempts are shown with the endpoint's present URL, as they were until now.

UPDATE "webhook_attempts" a SET "url" = e."url"
FROM "webhook_deliveries" d JOIN "webhook_endpoints" e ON e."id" = d."endpoint_id"
WHERE d."id" = a."delivery_id";

ALTER TABLE "webhook_attempts" ALTER COLUMN "url" SET NOT NULL;
