/** What a `datetime-local` input shows for a moment, in the reader's zone. */
export function toLocalInput(at: string | Date): string {
  const date = new Date(at);
  const pad = (value: number) => String(value).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The moment that somebody chose in a `datetime-local` input; undefined while it is empty or incomplete. */
export function fromLocalInput(text: string): string | undefined {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
