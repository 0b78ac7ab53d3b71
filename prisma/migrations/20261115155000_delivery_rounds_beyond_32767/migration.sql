-- A delivery's round is the number of its resend: 32,768 of them are unlikely and possible.
ALTER TABLE "webhook_deliveries" ALTER COLUMN "round" TYPE INTEGER;
