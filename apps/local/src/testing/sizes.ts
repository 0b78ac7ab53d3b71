/** The screen sizes at which every page must work. */
export const sizes = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
