import { AppError } from "@querybell/domain";

export const maxBodyBytes = 1024 * 1024;

export const bodyTooLarge = (): AppError =>
  new AppError("payload_too_large", "A request's body may have at most 1 MiB.");
