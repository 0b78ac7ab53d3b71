// The objects of Intl take long to create, all of them together long enough to delay the first paint of a page. So each
// is created when it is first needed.

export function onFirstUse<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

/** Numbers as the reader writes them. */
export const numberFormat = (options: Intl.NumberFormatOptions = {}) =>
  onFirstUse(() => new Intl.NumberFormat(undefined, options));

/** Days and times as the reader writes them. */
export const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  onFirstUse(() => new Intl.DateTimeFormat(undefined, options));
