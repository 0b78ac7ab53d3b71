import { type AppError, errorCodes } from "@querybell/domain";
import type { FastifyBaseLogger } from "fastify";

/** Logs what went wrong on our side, with its cause. What a caller did wrong is told to the caller alone. */
export function logFailure(log: FastifyBaseLogger, refusal: AppError): void {
  if (errorCodes[refusal.code].status >= 500) log.error(refusal.cause ?? refusal);
}
