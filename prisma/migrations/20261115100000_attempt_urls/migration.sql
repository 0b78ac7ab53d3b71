-- AlterTable
ALTER TABLE "webhook_attempts" ADD COLUMN     "url" TEXT;
