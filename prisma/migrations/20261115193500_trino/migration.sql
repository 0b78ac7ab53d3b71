ALTER TYPE "engine_kind" ADD VALUE 'trino';
