import { AppError } from "@querybell/domain";

export const maxBodyBytes = 1024 * 1024;

export const bodyTooLarge = (): AppError =>
  new AppError(
    "payload_too_large",
    "This is more than the 1 MiB that a request may have. Send less at once.",
  );
