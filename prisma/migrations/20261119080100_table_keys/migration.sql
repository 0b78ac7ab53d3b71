-- AlterTable
ALTER TABLE "uploaded_tables" ADD COLUMN     "key" TEXT[] DEFAULT ARRAY[]::TEXT[];
