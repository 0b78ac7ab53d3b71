-- AlterEnum
ALTER TYPE "upload_format" ADD VALUE 'json';
ALTER TYPE "upload_format" ADD VALUE 'excel';

-- AlterTable
ALTER TABLE "uploaded_tables" ADD COLUMN     "reading" JSONB NOT NULL DEFAULT '{}';
