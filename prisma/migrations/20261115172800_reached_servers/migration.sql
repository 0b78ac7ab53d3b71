-- AlterTable
ALTER TABLE "analytical_database_configs" ADD COLUMN     "reached_servers" TEXT[] DEFAULT ARRAY[]::TEXT[];
